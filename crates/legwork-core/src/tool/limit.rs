//! How much of a result a model is sent.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::message::{File, Image, MediaSource, ResultPart};
use crate::tool::{Output, ToolOutcome, ToolSpec};

/// The most of a tool's result that a model is sent, unless its tool says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultLimit {
    /// Bytes of text and JSON, of all parts together; 256 KiB by default.
    pub text: u64,
    /// Bytes of each image or file that is inline, as base64; 16 MiB by default.
    pub media: u64,
}

impl Default for ResultLimit {
    fn default() -> Self {
        Self { text: 256 * 1024, media: 16 * 1024 * 1024 }
    }
}

/// What was left out of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Bytes of text that are left.
    pub shown: u64,
    /// Bytes of text that there were.
    pub of: u64,
    /// Images and files that were left out.
    pub media: u64,
}

impl Cut {
    /// The name of its value in the metadata of the outcome.
    pub const METADATA: &'static str = "cut";

    /// It as a value for people and programs.
    pub fn to_value(self) -> Value {
        json!({"shown": self.shown, "of": self.of, "media": self.media})
    }
}

impl ResultLimit {
    /// The limit for the results of a tool.
    #[must_use]
    pub fn of(self, spec: &ToolSpec) -> Self {
        Self { text: spec.max_result.unwrap_or(self.text), ..self }
    }

    /// Whether the outcome of a call of a tool may be above the limit.
    ///
    /// The output of an execution is never: a program reads it.
    pub fn may_exceed(self, spec: &ToolSpec, outcome: &ToolOutcome) -> bool {
        !spec.is_output && !self.of(spec).holds(outcome)
    }

    /// Cuts the outcome of a call of a tool, and adds a note for the model on how to read the rest.
    pub fn cut(self, spec: &ToolSpec, outcome: ToolOutcome) -> (ToolOutcome, Option<Cut>) {
        let limit = self.of(spec);
        if !self.may_exceed(spec, &outcome) {
            return (outcome, None);
        }
        match outcome {
            ToolOutcome::Ok(Output(parts)) => {
                let (parts, cut) = limit.cut_parts(parts, spec.rest.as_ref());
                (ToolOutcome::Ok(Output(parts)), cut)
            }
            ToolOutcome::Failed(kind, message) => {
                let (message, cut) = limit.cut_message(&message, spec.rest.as_ref());
                (ToolOutcome::Failed(kind, message), Some(cut))
            }
            ToolOutcome::Retry(message) => {
                let (message, cut) = limit.cut_message(&message, spec.rest.as_ref());
                (ToolOutcome::Retry(message), Some(cut))
            }
            other => (other, None),
        }
    }

    /// Whether nothing of an outcome is above the limit.
    fn holds(self, outcome: &ToolOutcome) -> bool {
        match outcome {
            ToolOutcome::Ok(Output(parts)) => {
                let mut left = self.text;
                parts.iter().all(|part| match part {
                    ResultPart::Text(text) => take(&mut left, text.len()),
                    ResultPart::Json(value) => fits(value, &mut left),
                    media => inline(media) <= self.media,
                })
            }
            ToolOutcome::Failed(_, message) | ToolOutcome::Retry(message) => {
                message.len() as u64 <= self.text
            }
            _ => true,
        }
    }

    fn cut_parts(
        self,
        parts: Vec<ResultPart>,
        rest: Option<&Arc<str>>,
    ) -> (Vec<ResultPart>, Option<Cut>) {
        let (mut left, mut kept) = (self.text, Vec::with_capacity(parts.len()));
        let mut cut = Cut { shown: 0, of: 0, media: 0 };
        for part in parts {
            if inline(&part) > self.media {
                cut.media += 1;
                kept.push(ResultPart::Text(left_out(&part, self.media)));
                continue;
            }
            if matches!(part, ResultPart::Image(_) | ResultPart::File(_)) {
                kept.push(part);
                continue;
            }
            let text = part.text();
            cut.of += text.len() as u64;
            let shown = head(&text, left);
            cut.shown += shown.len() as u64;
            left = if shown.len() < text.len() { 0 } else { left - shown.len() as u64 };
            if shown.len() == text.len() {
                kept.push(part);
            } else if !shown.is_empty() {
                kept.push(ResultPart::Text(shown.to_owned()));
            }
        }
        if cut.shown < cut.of {
            kept.push(ResultPart::Text(note(cut, rest)));
        }
        // The text of JSON may be shorter than what was counted for it.
        let is_cut = cut.media > 0 || cut.shown < cut.of;
        (kept, is_cut.then_some(cut))
    }

    fn cut_message(self, message: &str, rest: Option<&Arc<str>>) -> (String, Cut) {
        let shown = head(message, self.text);
        let cut = Cut { shown: shown.len() as u64, of: message.len() as u64, media: 0 };
        (format!("{shown}\n{}", note(cut, rest)), cut)
    }
}

/// The note behind what is left of a text.
fn note(cut: Cut, rest: Option<&Arc<str>>) -> String {
    let Cut { shown, of, .. } = cut;
    let rest =
        rest.map_or("The rest is not kept: to read it, ask for less at a time.", |rest| rest);
    format!("[Cut: the first {shown} of {of} bytes are shown. {rest}]")
}

/// The line in place of an image or a file.
fn left_out(part: &ResultPart, limit: u64) -> String {
    let (named, bytes) = (part.text(), inline(part));
    format!("{named} [Left out: it has {bytes} bytes as base64, and at most {limit} are sent.]")
}

/// The bytes of an image or a file that are in the part.
fn inline(part: &ResultPart) -> u64 {
    match part {
        ResultPart::Image(Image { source: MediaSource::Base64(data), .. })
        | ResultPart::File(File { source: MediaSource::Base64(data), .. }) => data.len() as u64,
        _ => 0,
    }
}

/// The beginning of a text: whole characters, and whole lines unless one is very long.
fn head(text: &str, limit: u64) -> &str {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if text.len() <= limit {
        return text;
    }
    let shown = text.split_at(text.floor_char_boundary(limit)).0;
    match shown.rfind('\n') {
        Some(end) if end > limit / 2 => text.split_at(end + 1).0,
        _ => shown,
    }
}

fn take(left: &mut u64, bytes: usize) -> bool {
    match left.checked_sub(bytes as u64) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    }
}

/// Whether the JSON of a value is certainly not longer than what is left.
fn fits(value: &Value, left: &mut u64) -> bool {
    match value {
        Value::Null | Value::Bool(_) => take(left, 5),
        // The longest double has 24 characters.
        Value::Number(_) => take(left, 25),
        Value::String(text) => take(left, escaped(text)),
        Value::Array(items) => {
            take(left, 2) && items.iter().all(|item| take(left, 1) && fits(item, left))
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value), left: &mut u64| {
                take(left, escaped(name) + 2) && fits(value, left)
            };
            take(left, 2) && fields.iter().all(|one| field(one, left))
        }
    }
}

/// The length of a text as JSON, or more.
fn escaped(text: &str) -> usize {
    let long = text.bytes().filter(|byte| matches!(byte, 0..=0x1f | b'"' | b'\\')).count();
    text.len() + 2 + 5 * long
}

#[cfg(test)]
mod tests;

//! Events and bodies, read into an assembly.
//!
//! The fields of an event say which one it is, so its name is not needed.

use std::borrow::Cow;

use legwork_core::FinishReason;
use legwork_port::Deltas;
use serde_json::{Value, json};

use crate::answer::assembly::{Assembly, Form, Level, Words};
use crate::answer::call::Piece;
use crate::answer::error::ApiError;
use crate::answer::json::{Read, Reader};

mod block;

type Sink<'s> = &'s mut dyn Deltas;

/// Reads one event of a stream, or a whole body.
pub(super) fn read(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    into.cache_is_apart();
    if into.form == Form::Body {
        return body(json, into, on);
    }
    let begin = json.at();
    if let Some((index, text, written)) = text_piece(json) {
        into.words_at(index, Words::Text, &text, written, on);
        return Ok(());
    }
    json.rewind(begin);
    let (mut position, mut event) = (json.object()?, Event::default());
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "contentBlockIndex" => event.index = Some(json.count()?.unwrap_or(0)),
            "start" => event.start = Some(json.raw()?),
            // Mostly the index comes first.
            "delta" if let (Some(index), None) = (event.index, event.start) => {
                delta(json, index, into, on)?;
            }
            "delta" => event.delta = Some(json.raw()?),
            "role" => into.recognised |= json.text()? == "assistant",
            "usage" => {
                into.usage(json)?;
                // The event `metadata` is the last.
                event.is_last = true;
            }
            "stopReason" => finish(&json.text()?, into),
            _ if OF_ANSWER.contains(&&*key) => into.merge(Level::Top, &key, json.json()?),
            // Padding, which hides the length of an answer, and what is not known.
            _ => json.skip()?,
        }
    }
    event.take(json, into, on)
}

/// A piece of text, spelled as AWS does: its index, itself and its length in the JSON source.
///
/// Almost all events are such pieces, and this looks for no keys. An event in any other spelling
/// is none.
fn text_piece<'a>(json: &mut Reader<'a>) -> Option<(u64, Cow<'a, str>, usize)> {
    if !json.may_nest(2) || !json.literal("{\"contentBlockIndex\":") {
        return None;
    }
    let index = json.count().ok()??;
    if !json.literal(",\"delta\":{\"text\":") || json.peek() != b'"' {
        return None;
    }
    let (text, written) = written(json).ok()?;
    if !json.literal("}") {
        return None;
    }
    if json.literal(",\"p\":") {
        json.skip().ok()?;
    }
    json.literal("}").then_some((index, text, written))
}

/// The fields of events that are about the whole answer.
const OF_ANSWER: [&str; 5] =
    ["additionalModelResponseFields", "metrics", "performanceConfig", "serviceTier", "trace"];

/// Reads what an answer used, and nothing else of it.
pub(super) fn read_usage(json: &mut Reader<'_>, into: &mut Assembly) -> Read {
    into.cache_is_apart();
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "usage" => into.usage(json)?,
            _ => json.skip()?,
        }
    }
    Ok(())
}

/// An event, whose fields come in any order.
#[derive(Default)]
struct Event<'a> {
    index: Option<u64>,
    start: Option<&'a str>,
    delta: Option<&'a str>,
    is_last: bool,
}

impl<'a> Event<'a> {
    /// Puts it into the assembly, once all of it is read.
    fn take(self, json: &mut Reader<'a>, into: &mut Assembly, on: Sink<'_>) -> Read {
        let index = self.index.unwrap_or(0);
        if let Some(raw) = self.start {
            json.within(raw, |json| block::read(json, index, into, on))?;
        }
        if let Some(raw) = self.delta {
            json.within(raw, |json| delta(json, index, into, on))?;
        }
        into.done |= self.is_last && into.has_finish();
        Ok(())
    }
}

/// More of a block.
fn delta(json: &mut Reader<'_>, index: u64, into: &mut Assembly, on: Sink<'_>) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "text" => {
                let (text, written) = written(json)?;
                into.words_at(index, Words::Text, &text, written, on);
            }
            "reasoningContent" => thinking(json, index, into, on)?,
            "toolUse" => {
                let input = json.field("input")?;
                json.skip()?;
                if !into.input_at(index, &input) {
                    let length = input.len();
                    into.call(Piece::new(index, "", "").with_arguments(input, length), on);
                }
            }
            "toolResult" => {
                let content = json.json()?;
                into.attach(Some(index), "toolResult", json!({"content": content}));
            }
            "citation" => {
                let citation = json.json()?;
                attach(index, Words::Text, "citations", Value::Array(vec![citation]), into);
            }
            _ => json.skip()?,
        }
    }
    Ok(())
}

/// More of a thought, or of what belongs to it.
fn thinking(json: &mut Reader<'_>, index: u64, into: &mut Assembly, on: Sink<'_>) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "text" => {
                let (text, written) = written(json)?;
                into.words_at(index, Words::Thinking, &text, written, on);
            }
            "signature" => {
                let signature = json.text()?.into();
                attach(index, Words::Thinking, "signature", signature, into);
            }
            "redactedContent" => {
                let redacted = json.text()?.into();
                attach(index, Words::Thinking, "redacted", redacted, into);
            }
            _ => json.skip()?,
        }
    }
    Ok(())
}

/// Adds a field to words, which may have none yet.
fn attach(index: u64, kind: Words, key: &str, value: Value, into: &mut Assembly) {
    if !into.has_part(index) {
        into.open_words(index, kind);
    }
    into.attach(Some(index), key, value);
}

/// A whole answer.
fn body(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let (mut position, mut failed) = (json.object()?, Failed::default());
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "output" => output(json, into, on)?,
            "stopReason" => finish(&json.text()?, into),
            "usage" => into.usage(json)?,
            "__type" | "message" | "Message" => failed.fields.push((key, json.json()?)),
            // As gateways say it.
            "error" => match json.json()? {
                Value::Null => {}
                error => into.error = Some(ApiError::from_event(&error)),
            },
            _ => into.merge(Level::Top, &key, json.json()?),
        }
    }
    failed.take(into);
    Ok(())
}

/// What a body says in place of an answer: an error that came with status 200.
#[derive(Default)]
struct Failed<'a> {
    fields: Vec<(Cow<'a, str>, Value)>,
}

impl Failed<'_> {
    /// Makes it the error of an answer that is none; in an answer its fields are as others.
    fn take(self, into: &mut Assembly) {
        if into.recognised {
            let each = self.fields.into_iter();
            return each.for_each(|(key, value)| into.merge(Level::Top, &key, value));
        }
        let text = |named: &str| {
            let of = |key: &str| key.eq_ignore_ascii_case(named);
            self.fields.iter().find_map(|(key, value)| of(key).then(|| value.as_str())?)
        };
        let (name, message) = (text("__type"), text("message"));
        if into.error.is_none() && (name.is_some() || message.is_some()) {
            let said = json!({"message": message});
            into.error = Some(ApiError::of_exception(name.unwrap_or_default(), &said));
        }
    }
}

fn output(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "message" => {
                into.recognised = true;
                message(json, into, on)?;
            }
            _ => into.merge(Level::Choice, &key, json.json()?),
        }
    }
    Ok(())
}

fn message(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "role" => json.skip()?,
            "content" => {
                let (mut position, mut index) = (json.array()?, 0);
                while json.item(&mut position)? {
                    block::read(json, index, into, on)?;
                    index += 1;
                }
            }
            _ => into.merge(Level::Message, &key, json.json()?),
        }
    }
    Ok(())
}

/// A text, and its length in the JSON source.
fn written<'a>(json: &mut Reader<'a>) -> Read<(Cow<'a, str>, usize)> {
    let begin = json.at();
    let text = json.text()?;
    Ok((text, json.at() - begin))
}

fn finish(reason: &str, into: &mut Assembly) {
    into.end_with(match reason {
        "" => return,
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "tool_use" => FinishReason::ToolCalls,
        "guardrail_intervened" | "content_filtered" => FinishReason::ContentFilter,
        other => FinishReason::from(other),
    });
}

//! Shortens long results of tool calls to their head and tail.

use std::ops::Range;

use legwork_core::message::ResultPart;

use crate::transform::{Cx, Extended, Transform};
use crate::view::View;

/// Shortens each text of a result to its head and its tail, with a note how much is missing.
///
/// JSON that is too long is shortened as text. Images and files stay.
#[derive(Debug, Clone, Copy)]
pub struct TruncateResults {
    bytes: usize,
    lines: usize,
}

impl Default for TruncateResults {
    fn default() -> Self {
        Self { bytes: 32 * 1024, lines: 800 }
    }
}

impl TruncateResults {
    /// At most 32 KiB and 800 lines of a text.
    pub fn new() -> Self {
        Self::default()
    }

    /// At most so many bytes of a text, the note not counted.
    #[must_use]
    pub const fn bytes(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }

    /// At most so many lines of a text, the note not counted.
    #[must_use]
    pub const fn lines(self, lines: usize) -> Self {
        Self { lines, ..self }
    }

    /// The text shortened; none if it is not too long.
    pub(crate) fn shortened(self, text: &str) -> Option<String> {
        let lines = text.lines().count();
        if text.len() <= self.bytes && lines <= self.lines {
            return None;
        }
        // Two thirds of the head, since results say first what they are.
        let head = take(text, self.bytes - self.bytes / 3, self.lines - self.lines / 3);
        let rest = text.get(head.len()..).unwrap_or_default();
        let tail = take_end(rest, self.bytes / 3, self.lines / 3);
        let middle = rest.get(..rest.len() - tail.len()).unwrap_or_default();
        let (bytes, lines) = (middle.len(), middle.lines().count());
        if bytes == 0 {
            return None;
        }
        let start = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
        Some(format!("{head}{start}[{bytes} bytes in {lines} lines are left out here]\n{tail}"))
    }
}

/// The beginning of a text: at most so many bytes and lines.
fn take(text: &str, bytes: usize, lines: usize) -> &str {
    let by_lines = text.split_inclusive('\n').take(lines).map(str::len).sum::<usize>();
    let end =
        (0..=bytes.min(by_lines).min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// The end of a text: at most so many bytes and lines.
fn take_end(text: &str, bytes: usize, lines: usize) -> &str {
    let by_lines = text.split_inclusive('\n').rev().take(lines).map(str::len).sum::<usize>();
    let start = text.len() - bytes.min(by_lines).min(text.len());
    let start = (start..=text.len()).find(|start| text.is_char_boundary(*start));
    text.get(start.unwrap_or(text.len())..).unwrap_or_default()
}

impl Transform for TruncateResults {
    fn name(&self) -> &str {
        "truncate_results"
    }

    fn priority(&self) -> i32 {
        300
    }

    fn extend(&self, view: &mut View, added: Range<usize>, _: &Cx<'_>) -> Extended {
        for index in added {
            let Some(unit) = view.get(index) else { break };
            let shorter = unit.with_results(|_, result| {
                let new: Vec<_> = result.parts.iter().map(|part| self.part(part)).collect();
                if new.iter().all(Option::is_none) {
                    return None;
                }
                let parts = new.into_iter().zip(&result.parts);
                Some(parts.map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect())
            });
            if let Some(shorter) = shorter {
                view.shorten(index, shorter);
            }
        }
        Extended::Done
    }
}

impl TruncateResults {
    fn part(self, part: &ResultPart) -> Option<ResultPart> {
        match part {
            ResultPart::Text(_) | ResultPart::Json(_) => {
                self.shortened(&part.text()).map(ResultPart::Text)
            }
            _ => None,
        }
    }
}

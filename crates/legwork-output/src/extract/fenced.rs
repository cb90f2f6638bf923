//! Fenced code blocks of Markdown.

use serde_json::Value;

use crate::extract::{Extractor, Fits, choose, direct};

/// Takes a fenced code block; blocks marked as JSON come first, later ones before earlier ones.
///
/// The last block counts because models first show examples and then the answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fenced;

impl Fenced {
    /// The name of this extractor.
    pub const NAME: &'static str = "fenced";
}

impl Extractor for Fenced {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn extract(&self, text: &str, fits: Fits<'_>) -> Result<Value, String> {
        let blocks = blocks(text);
        let (json, other): (Vec<Block<'_>>, Vec<_>) = blocks.iter().partition(|it| it.is_json());
        let ordered = json.iter().rev().chain(other.iter().rev());
        choose(ordered.map(|block| direct::read(block.body)), fits, "there is no fenced block")
    }
}

/// A fenced code block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block<'t> {
    /// The word after the opening fence.
    pub(super) language: &'t str,
    pub(super) body: &'t str,
    /// Whether its closing fence is there.
    pub(super) is_closed: bool,
}

impl Block<'_> {
    /// Whether it is marked as JSON.
    pub(super) fn is_json(&self) -> bool {
        self.language.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("json"))
    }
}

/// All fenced blocks of a text, in order. Fences begin a line; those in JSON texts cannot.
pub(super) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    // The fence, the language and where the body begins.
    let mut open: Option<(&str, &str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let trimmed = line.trim();
        match open {
            None => {
                if let Some((fence, language)) = opening(trimmed) {
                    open = Some((fence, language, end));
                }
            }
            Some((fence, language, from)) if is_closing(trimmed, fence) => {
                let body = text.get(from..start).unwrap_or_default();
                blocks.push(Block { language, body, is_closed: true });
                open = None;
            }
            Some(_) => {}
        }
    }
    if let Some((_, language, from)) = open {
        let body = text.get(from..).unwrap_or_default();
        blocks.push(Block { language, body, is_closed: false });
    }
    blocks
}

/// The fence and the language of a line that opens a block.
fn opening(line: &str) -> Option<(&str, &str)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let fence = line.get(..line.len() - rest.len()).filter(|fence| fence.len() >= 3)?;
    let language = rest.trim();
    (!language.contains('`')).then_some((fence, language))
}

/// Whether a line closes a block: the same mark, at least as often, and nothing else.
fn is_closing(line: &str, fence: &str) -> bool {
    line.len() >= fence.len()
        && line.starts_with(fence)
        && fence.chars().next().is_some_and(|mark| line.chars().all(|other| other == mark))
}

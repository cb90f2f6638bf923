//! What is nearly JSON.

use serde_json::Value;

use crate::extract::Extractor;
use crate::extract::fenced::{Block, blocks};
use crate::extract::spans::spans;
use crate::partial::{Parser, Value as Read};

/// Takes what is nearly JSON, as [`Parser::lenient`] reads it, if it is closed.
///
/// It looks into the last fenced block, then at pairs of brackets, then from the first bracket
/// on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Repaired;

/// Takes what is nearly JSON and breaks off, closed where it ends.
///
/// Its value may lack something at the end: a text its rest, an array its last items. Leave it
/// out where that must not happen. A response that is known to have broken off is refused
/// before it gets here.
#[derive(Debug, Clone, Copy, Default)]
pub struct Partial;

impl Repaired {
    /// The name of this extractor.
    pub const NAME: &'static str = "repaired";
}

impl Partial {
    /// The name of this extractor.
    pub const NAME: &'static str = "partial";
}

impl Extractor for Repaired {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn extract(&self, text: &str) -> Result<Value, String> {
        let mut first = None;
        for candidate in candidates(text) {
            match read(candidate) {
                Ok(value) if value.is_complete() => return Ok(value.to_json()),
                Ok(_) => first = first.or(Some("it breaks off".to_owned())),
                Err(why) => first = first.or(Some(why)),
            }
        }
        Err(first.unwrap_or_else(nothing))
    }
}

impl Extractor for Partial {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn extract(&self, text: &str) -> Result<Value, String> {
        let candidate = last_block(text).and_then(|block| from_bracket(block.body));
        let candidate = candidate.or_else(|| from_bracket(text)).ok_or_else(nothing)?;
        read(candidate).map(|value| value.to_json())
    }
}

fn nothing() -> String {
    "there is no `{` or `[`".to_owned()
}

/// Where nearly JSON may stand.
fn candidates(text: &str) -> impl Iterator<Item = &str> {
    let block = last_block(text).and_then(|block| from_bracket(block.body));
    let outer = spans(text).into_iter().next().and_then(|span| text.get(span));
    block.into_iter().chain(outer).chain(from_bracket(text))
}

fn last_block(text: &str) -> Option<Block<'_>> {
    let blocks = blocks(text);
    let json = blocks.iter().rev().find(|block| block.is_json());
    json.or(blocks.last()).copied()
}

fn from_bracket(text: &str) -> Option<&str> {
    text.get(text.find(['{', '['])?..)
}

fn read(text: &str) -> Result<Read, String> {
    let mut parser = Parser::lenient();
    parser.push(text).and_then(|()| parser.finish()).map_err(|error| error.to_string())
}

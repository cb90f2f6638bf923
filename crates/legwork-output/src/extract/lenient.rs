//! What is nearly JSON.

use serde_json::Value;

use crate::extract::fenced::{Block, blocks};
use crate::extract::spans::spans;
use crate::extract::{Extractor, Fits, choose};
use crate::partial::{Parser, Value as Read};

const NOTHING: &str = "there is no `{` or `[`";

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

    fn extract(&self, text: &str, fits: Fits<'_>) -> Result<Value, String> {
        let read = candidates(text).map(|candidate| match read(candidate)? {
            value if value.is_complete() => Ok(value.to_json()),
            _ => Err("it breaks off".to_owned()),
        });
        choose(read, fits, NOTHING)
    }
}

impl Extractor for Partial {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn extract(&self, text: &str, _fits: Fits<'_>) -> Result<Value, String> {
        let candidate = last_block(text).and_then(|block| from_bracket(block.body));
        let candidate = candidate.or_else(|| from_bracket(text)).ok_or(NOTHING)?;
        read(candidate).map(|value| value.to_json())
    }
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

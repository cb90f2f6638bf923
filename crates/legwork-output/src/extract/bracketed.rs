//! From a bracket to the one that closes it.

use serde_json::Value;

use crate::extract::spans::spans;
use crate::extract::{Extractor, Fits, choose, direct};

/// How many pairs of brackets are tried, so that the cost stays linear in the text.
const TRIED: usize = 32;

/// Takes what stands between matching brackets, the brackets included; outer pairs first.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bracketed;

impl Bracketed {
    /// The name of this extractor.
    pub const NAME: &'static str = "bracketed";
}

impl Extractor for Bracketed {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn extract(&self, text: &str, fits: Fits<'_>) -> Result<Value, String> {
        let tried = spans(text).into_iter().take(TRIED);
        let read = tried.map(|span| direct::read(text.get(span).unwrap_or_default()));
        choose(read, fits, "there are no matching brackets")
    }
}

//! The whole text.

use serde_json::Value;

use crate::extract::{Extractor, Fits};

/// Takes the whole text, which is JSON and nothing else.
#[derive(Debug, Clone, Copy, Default)]
pub struct Direct;

impl Direct {
    /// The name of this extractor.
    pub const NAME: &'static str = "direct";
}

impl Extractor for Direct {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn extract(&self, text: &str, _fits: Fits<'_>) -> Result<Value, String> {
        read(text)
    }
}

/// The value of a JSON text.
pub(super) fn read(text: &str) -> Result<Value, String> {
    serde_json::from_str(text.trim()).map_err(|error| error.to_string())
}

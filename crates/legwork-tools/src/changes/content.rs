//! Bytes that are kept as they are.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// Bytes of a file, serialised as base64.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Content(String);

impl Content {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(STANDARD.encode(bytes))
    }

    /// How many characters it takes.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The bytes; none if this is not base64.
    #[must_use]
    pub fn bytes(&self) -> Option<Vec<u8>> {
        STANDARD.decode(&self.0).ok()
    }
}

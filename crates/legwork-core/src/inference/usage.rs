//! The tokens that an inference used.

use serde::{Deserialize, Serialize};

/// The tokens that one or more inferences used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// All input tokens, cache reads and writes included.
    pub input: u64,
    /// All output tokens, reasoning included.
    pub output: u64,
    /// Input tokens read from a prompt cache, part of `input`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_read: u64,
    /// Input tokens written to a prompt cache, part of `input`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write: u64,
    /// Tokens of `cache_write` that the cache keeps for an hour, part of `cache_write`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_hour: u64,
    /// Output tokens spent on reasoning, part of `output`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Usage {
    /// Input and output tokens together.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// The sum of two usages.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            cache_write_hour: self.cache_write_hour.saturating_add(other.cache_write_hour),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }
}

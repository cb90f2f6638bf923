//! One call with what came of it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::Seq;
use crate::message::ToolResult;
use crate::time::{Micros, Timestamp};
use crate::tool::{EffectClass, ToolCall, ToolOutcome};

/// One call with what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolExecution {
    /// The call as the model made it.
    pub call: Arc<ToolCall>,
    /// What came of it.
    pub outcome: Arc<ToolOutcome>,
    /// The entry that answered it.
    pub entry: Seq,
    /// When it was answered.
    pub completed_at: Timestamp,
    /// How long its body ran; zero if it did not run.
    pub took: Micros,
    /// Which attempt of the tool in a row this was; the first is 1.
    pub attempt: u32,
    /// The effect class it ran under; none if it did not run.
    pub effect: Option<EffectClass>,
}

impl ToolExecution {
    /// The answer as the model reads it.
    pub fn result(&self) -> ToolResult {
        ToolResult {
            call: self.call.id.clone(),
            name: Arc::clone(&self.call.name),
            parts: self.outcome.for_model(),
            is_error: !self.outcome.is_ok(),
        }
    }
}

//! A call with its outcome.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::Seq;
use crate::message::ToolResult;
use crate::time::{Micros, Timestamp};
use crate::tool::{EffectClass, ToolCall, ToolOutcome};

/// A call with its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolExecution {
    /// The call as the model made it.
    pub call: Arc<ToolCall>,
    /// The outcome, as hooks left it.
    pub outcome: Arc<ToolOutcome>,
    /// The entry that answered it.
    pub entry: Seq,
    /// When it was answered.
    pub completed_at: Timestamp,
    /// How long its body ran; zero if it was not run.
    pub took: Micros,
    /// 1, plus the number of retries of the tool in a row before it.
    pub attempt: u32,
    /// The effect class it was run under; none if it was not run.
    pub effect: Option<EffectClass>,
    /// Whether its body ran elsewhere, and its result was given from outside.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ran_elsewhere: bool,
    /// Whether hooks changed the outcome.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_changed: bool,
}

impl ToolExecution {
    /// The result as the model reads it.
    pub fn result(&self) -> ToolResult {
        ToolResult {
            call: self.call.id.clone(),
            name: Arc::clone(&self.call.name),
            parts: self.outcome.for_model(),
            is_error: !self.outcome.is_ok(),
        }
    }
}

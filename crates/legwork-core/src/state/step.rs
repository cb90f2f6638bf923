//! One step: one inference and the tool calls it asked for.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::error::ErrorRecord;
use crate::id::Seq;
use crate::inference::Response;
use crate::outcome::{ContinuationOutcome, StopReason};
use crate::state::{CallSlot, Calls};
use crate::time::{Micros, Timestamp};
use crate::tool::ToolExecution;
use crate::vector::Vector;

/// What a step turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepKind {
    /// Something went wrong.
    Error,
    /// Tools were called.
    ToolExecution,
    /// The model gave its answer.
    FinalResponse,
}

/// One iteration: one inference and the tool calls it asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentStep {
    /// Its id: the entry that began it.
    pub id: Seq,
    /// Its number in the execution; the first is 1.
    pub number: u32,
    /// When it began.
    pub started_at: Timestamp,
    /// How many messages of the transcript the model was given.
    pub input_cut: usize,
    /// The digest of the tools shown; none if there were none.
    pub tools: Option<Digest>,
    /// The entry of the response: effects of this step are keyed by it.
    pub response_entry: Option<Seq>,
    /// What the model answered.
    pub response: Option<Arc<Response>>,
    /// The calls it asked for, in the order they came.
    pub calls: Calls,
    /// What went wrong in it.
    pub errors: Vector<ErrorRecord>,
    /// Active time on it that is charged already, while it is under way.
    #[serde(default, skip_serializing_if = "is_instant")]
    pub worked: Micros,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_instant(time: &Micros) -> bool {
    *time == Micros::ZERO
}

impl AgentStep {
    /// The answered calls, in call order.
    pub fn tool_executions(&self) -> impl Iterator<Item = &Arc<ToolExecution>> {
        self.calls.iter().filter_map(CallSlot::execution)
    }

    /// Whether all calls are answered.
    pub fn is_answered(&self) -> bool {
        self.calls.are_answered()
    }

    /// What it turned out to be.
    pub fn kind(&self) -> StepKind {
        let whole = self.response.as_ref().is_some_and(|response| response.incomplete.is_none());
        if !whole || !self.errors.is_empty() {
            return StepKind::Error;
        }
        if self.calls.is_empty() { StepKind::FinalResponse } else { StepKind::ToolExecution }
    }
}

/// A step, never modified, with the outcome decided after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepResult<S = AgentStep> {
    /// The step.
    pub step: Arc<S>,
    /// Whether to go on, and why.
    pub outcome: Arc<ContinuationOutcome>,
    /// How long it was at work.
    pub took: Micros,
    /// When it ended.
    pub completed_at: Timestamp,
}

impl<S> StepResult<S> {
    /// Whether another step follows.
    pub fn should_continue(&self) -> bool {
        self.outcome.should_continue()
    }

    /// Why nothing follows; none if another step does.
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.outcome.stop_reason()
    }
}

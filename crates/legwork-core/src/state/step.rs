//! The state of a step.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::budget::Amounts;
use crate::digest::Digest;
use crate::error::ErrorRecord;
use crate::id::Seq;
use crate::inference::Response;
use crate::outcome::{ContinuationOutcome, StopReason};
use crate::state::{CallSlot, Calls};
use crate::time::{Micros, Timestamp};
use crate::tool::ToolExecution;
use crate::vector::Vector;

/// The kind of a step, by its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepKind {
    /// It has an error, or no complete response.
    Error,
    /// The model called tools.
    ToolExecution,
    /// The model answered without calling tools.
    FinalResponse,
}

/// The state of a step: one inference and the tool calls of its response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentStep {
    /// Its id: the number of the entry that began it.
    pub id: Seq,
    /// Its number in the execution; the first is 1.
    pub number: u32,
    /// When it began.
    pub started_at: Timestamp,
    /// The number of messages in the transcript when it began, which the model was sent.
    pub input_cut: usize,
    /// The digest of the tools shown; none if no tools were shown.
    pub tools: Option<Digest>,
    /// The entry of the response, which is part of the keys of the step's effects.
    pub response_entry: Option<Seq>,
    /// The response of the model.
    pub response: Option<Arc<Response>>,
    /// The calls of the response, in call order.
    pub calls: Calls,
    /// The errors of the step.
    pub errors: Vector<ErrorRecord>,
    /// The active time that is already charged, while it is the current step.
    #[serde(default, skip_serializing_if = "is_instant")]
    pub worked: Micros,
    /// What its events charged to the budget: its inference, its calls and the subagents below
    /// them, its active time.
    ///
    /// What is charged later for a call that broke off is in the ledger alone.
    #[serde(default, skip_serializing_if = "Amounts::is_zero")]
    pub used: Amounts,
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

    /// The kind of the step.
    pub fn kind(&self) -> StepKind {
        let whole = self.response.as_ref().is_some_and(|response| response.incomplete.is_none());
        if !whole || !self.errors.is_empty() {
            return StepKind::Error;
        }
        if self.calls.is_empty() { StepKind::FinalResponse } else { StepKind::ToolExecution }
    }
}

/// A finished step with the outcome that was decided after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepResult<S = AgentStep> {
    /// The step, with its response, calls and errors.
    pub step: Arc<S>,
    /// Whether the execution goes on, and why.
    pub outcome: Arc<ContinuationOutcome>,
    /// Its active time.
    pub took: Micros,
    /// When it ended.
    pub completed_at: Timestamp,
}

impl<S> StepResult<S> {
    /// Whether another step follows.
    pub fn should_continue(&self) -> bool {
        self.outcome.should_continue()
    }

    /// Why the execution stops; none if another step follows.
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.outcome.stop_reason()
    }
}

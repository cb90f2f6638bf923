//! One step: one inference and the tool calls it asked for.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::continuation::ContinuationOutcome;
use crate::digest::Digest;
use crate::error::ErrorRecord;
use crate::id::{Seq, SessionId};
use crate::inference::Response;
use crate::time::{Micros, Timestamp};
use crate::tool::{EffectClass, ToolCall, ToolExecution};

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
    pub calls: Vec<CallSlot>,
    /// What went wrong in it.
    pub errors: Vec<ErrorRecord>,
    /// Active time on it that is charged already, while it is under way.
    #[serde(default, skip_serializing_if = "is_instant")]
    pub worked: Micros,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_instant(time: &Micros) -> bool {
    *time == Micros::ZERO
}

/// One call of a step, and how far it got.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallSlot {
    /// The call as the model made it.
    pub call: Arc<ToolCall>,
    /// The arguments to run it with, if they are not the model's.
    pub arguments: Option<Arc<str>>,
    /// The session that it works in, if it runs a subagent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child: Option<SessionId>,
    /// How far it got.
    pub status: CallStatus,
}

/// How far a call got.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// Nothing happened yet.
    Open,
    /// It began, was in doubt, and a person said that it shall run again; it is not judged again.
    Ready,
    /// Its intent is recorded.
    ///
    /// Whoever takes the step up and finds it so knows that it began, perhaps, and has
    /// no outcome: what then happens depends on the class it was begun under.
    Started(EffectClass),
    /// It was answered.
    Done(Arc<ToolExecution>),
}

impl CallSlot {
    /// The arguments to run it with.
    pub fn arguments(&self) -> &Arc<str> {
        self.arguments.as_ref().unwrap_or(&self.call.arguments)
    }

    /// What came of it, once it was answered.
    pub fn execution(&self) -> Option<&Arc<ToolExecution>> {
        match &self.status {
            CallStatus::Done(execution) => Some(execution),
            _ => None,
        }
    }
}

impl AgentStep {
    /// The answered calls, in call order.
    pub fn tool_executions(&self) -> impl Iterator<Item = &Arc<ToolExecution>> {
        self.calls.iter().filter_map(CallSlot::execution)
    }

    /// Whether all calls are answered.
    pub fn is_answered(&self) -> bool {
        self.calls.iter().all(|slot| slot.execution().is_some())
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

//! The transient part of the state, which is never journaled.

use std::sync::Arc;

use serde_json::Value;

use crate::inference::ModelRequest;
use crate::outcome::{ContinuationOutcome, Vote};
use crate::time::Micros;
use crate::tool::{ToolCall, ToolExecution, ToolSelection};
use crate::vector::Vector;

/// The call that hooks are judging, before it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct CurrentToolCall {
    /// Its index in the response.
    pub index: u32,
    /// The call as the model made it.
    pub call: Arc<ToolCall>,
    /// The arguments to run it with; a hook may change them.
    pub arguments: Arc<Value>,
    /// The decision of a hook; none if none decided.
    pub verdict: Option<CallVerdict>,
}

/// A finished call that hooks are shown with its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct CurrentToolExecution {
    /// Its index in the response, which [`AgentState::with_tool_outcome`] takes.
    ///
    /// [`AgentState::with_tool_outcome`]: crate::AgentState::with_tool_outcome
    pub index: u32,
    /// The call with its outcome.
    pub execution: Arc<ToolExecution>,
}

/// The decision of a hook about a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallVerdict {
    /// It does not run.
    Block {
        /// The name of the hook.
        by: String,
        /// Why.
        reason: String,
    },
    /// It does not run, and this is its result.
    Answer(Value),
}

/// The arguments of a call that was judged and may run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judged {
    /// The arguments, if they differ from those that the model wrote.
    pub arguments: Option<Arc<str>>,
    /// The parsed arguments, if they were parsed already.
    pub value: Option<Arc<Value>>,
}

impl Judged {
    /// A call that runs with the model's arguments, already parsed.
    pub fn of(value: Arc<Value>) -> Self {
        Self { arguments: None, value: Some(value) }
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Transient {
    pub(super) selection: Option<Arc<ToolSelection>>,
    pub(super) request: Option<Arc<ModelRequest>>,
    pub(super) call: Option<Arc<CurrentToolCall>>,
    pub(super) execution: Option<CurrentToolExecution>,
    pub(super) judged: Vector<Option<Judged>>,
    pub(super) outcome: Option<Arc<ContinuationOutcome>>,
    pub(super) votes: Vec<Vote>,
    pub(super) stop_prevented: Option<String>,
    /// Monotonic time from which on active time of the step is not charged yet.
    pub(super) segment: Micros,
}

impl Transient {
    /// Resets everything, but keeps the capacity of lists.
    pub(super) fn clear(&mut self) {
        let Self { judged, votes, .. } = std::mem::take(self);
        *self = Self { judged, votes, ..Self::default() };
        self.judged.clear();
        self.votes.clear();
    }
}

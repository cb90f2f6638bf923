//! What is never written and rebuilt on resume.

use std::sync::Arc;

use serde_json::Value;

use crate::inference::ModelRequest;
use crate::outcome::{ContinuationOutcome, Vote};
use crate::time::Micros;
use crate::tool::{ToolCall, ToolExecution, ToolSelection};
use crate::vector::Vector;

/// A call that hooks are judging.
#[derive(Debug, Clone, PartialEq)]
pub struct CurrentToolCall {
    /// Its index in the response.
    pub index: u32,
    /// The call as the model made it.
    pub call: Arc<ToolCall>,
    /// The arguments it would run with; a hook may change them.
    pub arguments: Arc<Value>,
    /// What a hook decided, if one did.
    pub verdict: Option<CallVerdict>,
}

/// A call that was answered, shown to hooks with what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CurrentToolExecution {
    /// Its index in the response: what an event that changes its outcome names.
    pub index: u32,
    /// What came of it.
    pub execution: Arc<ToolExecution>,
}

/// What a hook decided about a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallVerdict {
    /// It does not run.
    Block {
        /// Who blocks it.
        by: String,
        /// Why.
        reason: String,
    },
    /// This is its answer.
    Answer(Value),
}

/// A call that may run, with its arguments if hooks changed them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judged {
    /// The arguments, if they are not the model's.
    pub arguments: Option<Arc<str>>,
    /// What the arguments say, if somebody read them already.
    pub value: Option<Arc<Value>>,
}

impl Judged {
    /// A call that runs with the model's arguments, which say this.
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
    /// Monotonic time at which this process began to work on the step.
    pub(super) segment: Micros,
}

impl Transient {
    /// Forgets everything, and keeps the room that lists took.
    pub(super) fn clear(&mut self) {
        let Self { judged, votes, .. } = std::mem::take(self);
        *self = Self { judged, votes, ..Self::default() };
        self.judged.clear();
        self.votes.clear();
    }
}

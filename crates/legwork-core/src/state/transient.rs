//! The transient part of the state, which is never journaled.

use std::sync::Arc;

use serde_json::Value;

use crate::approval;
use crate::id::Seq;
use crate::inference::ModelRequest;
use crate::outcome::{ContinuationOutcome, Vote};
use crate::pending::Waits;
use crate::state::{AgentState, ProposedCompaction};
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

impl CurrentToolCall {
    /// A call that no hook has seen.
    pub fn new(index: u32, call: Arc<ToolCall>, arguments: Arc<Value>) -> Self {
        Self { index, call, arguments, verdict: None }
    }
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
    /// A person has to approve it before it runs.
    Ask(approval::Request),
}

/// The arguments of a call that was judged, and may run or waits.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judged {
    /// The arguments, if they differ from those that the model wrote.
    pub arguments: Option<Arc<str>>,
    /// The parsed arguments, if they were parsed already.
    pub value: Option<Arc<Value>>,
    /// What it waits for before it may run.
    pub waits: Option<Box<Waits>>,
    sealed: Option<Sealed>,
}

/// Identifies who judges the calls of a run: a call that was judged under another seal, or as
/// another call, is judged again before it runs.
#[derive(Debug, Clone, Default)]
pub struct Seal(Arc<()>);

impl PartialEq for Seal {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What a call was judged as.
#[derive(Debug, Clone, PartialEq)]
struct Sealed {
    by: Seal,
    /// The entry of the response that made the call.
    response: Option<Seq>,
    index: u32,
}

impl Judged {
    /// A call that runs with the model's arguments, already parsed.
    pub fn of(value: Arc<Value>) -> Self {
        Self { value: Some(value), ..Self::default() }
    }

    /// The same, waiting for something before it may run.
    #[must_use]
    pub fn waiting_for(self, waits: Waits) -> Self {
        Self { waits: Some(Box::new(waits)), ..self }
    }

    /// A call that runs with other arguments than the model's: as text, and parsed.
    pub fn with_arguments(arguments: Arc<str>, value: Arc<Value>) -> Self {
        Self { arguments: Some(arguments), value: Some(value), ..Self::default() }
    }
}

impl AgentState {
    /// The call at an index was checked under a seal and may run.
    #[must_use]
    pub fn with_judged_by(self, seal: &Seal, index: u32, judged: Judged) -> Self {
        let response = self.current_step().and_then(|step| step.response_entry);
        let sealed = Some(Sealed { by: seal.clone(), response, index });
        self.with_judged(index, Judged { sealed, ..judged })
    }

    /// Whether the call at an index was checked under this seal and may run.
    pub fn is_judged_by(&self, seal: &Seal, index: u32) -> bool {
        let sealed = self.judged(index as usize).and_then(|judged| judged.sealed.as_ref());
        sealed.is_some_and(|sealed| {
            let response = self.current_step().and_then(|step| step.response_entry);
            sealed.by == *seal && sealed.index == index && sealed.response == response
        })
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Transient {
    pub(super) selection: Option<Arc<ToolSelection>>,
    pub(super) request: Option<Arc<ModelRequest>>,
    pub(super) compaction: Option<Arc<ProposedCompaction>>,
    pub(super) call: Option<Arc<CurrentToolCall>>,
    pub(super) execution: Option<CurrentToolExecution>,
    pub(super) judged: Vector<Option<Judged>>,
    pub(super) outcome: Option<Arc<ContinuationOutcome>>,
    pub(super) votes: Vec<Vote>,
    pub(super) stop_prevented: Option<String>,
    /// Whether the calls that may run beside those that wait have run.
    pub(super) passed: bool,
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

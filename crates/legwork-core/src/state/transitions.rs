//! The transitions of the state: each records a change and returns a new state.

use std::sync::Arc;

use serde_json::Value;

use crate::approval;
use crate::budget::Exhausted;
use crate::error::ErrorRecord;
use crate::event::{self, Definition, Event};
use crate::inference::{ModelRequest, ModelSettings, Response};
use crate::message::Message;
use crate::outcome::{ContinuationOutcome, Decision, StopSignal, Vote};
use crate::state::ProposedCompaction;
use crate::state::{AgentState, CallVerdict, CurrentToolCall, CurrentToolExecution, Judged};
use crate::tool::{ToolOutcome, ToolSelection};

impl AgentState {
    /// The same, its execution having used at least as much as when a limit stopped it.
    ///
    /// After the head was moved back to it, the ledger may be that of another execution.
    pub(crate) fn with_used(mut self, limited: &Exhausted) -> Self {
        let spent = &mut Arc::make_mut(&mut self.0).facts.ledger.spent;
        *spent = spent.at_least(&limited.dimension, limited.used);
        self
    }

    /// Appends a message to the transcript.
    ///
    /// While calls are open it waits, and is appended after the last result. A message with
    /// calls needs their results after it ([`Transcript::check`](crate::Transcript::check)):
    /// the change of a hook that adds one without the other is refused.
    #[must_use]
    pub fn with_message(self, message: impl Into<Message>) -> Self {
        self.with(Event::MessageAdded(Arc::new(message.into())))
    }

    /// Sets a metadata value of the conversation; none removes the key.
    #[must_use]
    pub fn with_metadata(self, key: impl Into<String>, value: Option<Value>) -> Self {
        self.with(Event::MetadataSet(event::MetadataSet { key: key.into(), value }))
    }

    /// Sets the system prompt from now on, in this session.
    ///
    /// A hook that runs before an inference can change the prompt of that one request
    /// ([`AgentState::with_current_request`]).
    #[must_use]
    pub fn with_instructions(self, instructions: impl Into<Arc<str>>) -> Self {
        let mut definition = (*self.facts().definition).clone();
        definition.instructions = instructions.into();
        self.with_definition(definition)
    }

    /// Sets the model settings from now on, in this session. Without the name of a model the
    /// model stays.
    #[must_use]
    pub fn with_settings(self, settings: ModelSettings) -> Self {
        let mut definition = (*self.facts().definition).clone();
        let model = match settings.model.is_empty() {
            true => Arc::clone(&definition.settings.model),
            false => Arc::clone(&settings.model),
        };
        definition.settings = ModelSettings { model, ..settings };
        self.with_definition(definition)
    }

    /// Sets the limits from now on, in this session.
    #[must_use]
    pub fn with_budget(self, budget: crate::budget::Budget) -> Self {
        let mut definition = (*self.facts().definition).clone();
        definition.budget = budget;
        self.with_definition(definition)
    }

    fn with_definition(self, definition: Definition) -> Self {
        self.with(Event::Defined(event::Defined { definition: Arc::new(definition), digest: None }))
    }

    /// Adds a request to stop.
    #[must_use]
    pub fn with_stop_signal(self, signal: StopSignal) -> Self {
        self.with(Event::StopRaised(signal.into()))
    }

    /// Records an error.
    #[must_use]
    pub fn with_error(self, error: ErrorRecord) -> Self {
        self.with(Event::Failed(error))
    }

    /// Records an error that ends the execution; `by` names who asks for that.
    #[must_use]
    pub fn with_fatal_error(self, by: &str, error: ErrorRecord) -> Self {
        self.with_error(error.clone()).with_stop_signal(StopSignal::error(by, error))
    }

    /// Replaces the response of the current step, until a call of it began.
    ///
    /// An incomplete response stays incomplete.
    #[must_use]
    pub fn with_response(self, response: Response) -> Self {
        let response = Arc::new(response);
        self.with(Event::ResponseChanged(event::ResponseChanged { response }))
    }

    /// Replaces the outcome of a finished call of the current step.
    #[must_use]
    pub fn with_tool_outcome(self, index: u32, outcome: ToolOutcome) -> Self {
        let outcome = Arc::new(outcome.for_journal());
        self.with(Event::ToolChanged(event::ToolChanged { index, outcome }))
    }

    /// Blocks the current call: it does not run.
    #[must_use]
    pub fn with_tool_call_blocked(self, by: impl Into<String>, reason: impl Into<String>) -> Self {
        self.with_verdict(CallVerdict::Block { by: by.into(), reason: reason.into() })
    }

    /// Answers the current call with a value: it does not run.
    #[must_use]
    pub fn with_tool_call_answered(self, value: Value) -> Self {
        self.with_verdict(CallVerdict::Answer(value))
    }

    /// A person has to approve the current call before it runs.
    #[must_use]
    pub fn with_tool_call_needs_approval(self, request: approval::Request) -> Self {
        self.with_verdict(CallVerdict::Ask(request))
    }

    fn with_verdict(mut self, verdict: CallVerdict) -> Self {
        if let Some(call) = &mut self.change_transient().call {
            Arc::make_mut(call).verdict = Some(verdict);
        }
        self
    }

    /// Replaces the arguments of the current call.
    #[must_use]
    pub fn with_tool_call_arguments(mut self, arguments: Value) -> Self {
        if let Some(call) = &mut self.change_transient().call {
            Arc::make_mut(call).arguments = Arc::new(arguments);
        }
        self
    }

    /// Adds a vote, which counts when the step ends.
    #[must_use]
    pub fn with_vote(mut self, by: impl Into<String>, decision: Decision) -> Self {
        let vote = Vote { by: by.into(), decision };
        self.change_transient().votes.push(vote);
        self
    }

    /// Prevents the stop that is about to be carried out, if it can be prevented.
    #[must_use]
    pub fn with_stop_prevented(mut self, by: impl Into<String>) -> Self {
        self.change_transient().stop_prevented = Some(by.into());
        self
    }

    /// Selects the tools that the step shows; none = all.
    #[must_use]
    pub fn with_tool_selection(mut self, selection: Option<ToolSelection>) -> Self {
        if self.tool_selection().is_some() || selection.is_some() {
            self.change_transient().selection = selection.map(Arc::new);
        }
        self
    }

    /// Sets the request that is about to be sent; none removes it.
    #[must_use]
    pub fn with_current_request(mut self, request: Option<Arc<ModelRequest>>) -> Self {
        if self.current_request().is_some() || request.is_some() {
            self.change_transient().request = request;
        }
        self
    }

    /// Sets the compaction that is about to be made; none removes it.
    ///
    /// A hook that removes it cancels it; one that gives it a summary replaces the model's.
    #[must_use]
    pub fn with_proposed_compaction(mut self, proposed: Option<Arc<ProposedCompaction>>) -> Self {
        if self.proposed_compaction().is_some() || proposed.is_some() {
            self.change_transient().compaction = proposed;
        }
        self
    }

    /// Sets the call that hooks judge; none removes it.
    #[must_use]
    pub fn with_current_tool_call(mut self, call: Option<Arc<CurrentToolCall>>) -> Self {
        if self.current_tool_call().is_some() || call.is_some() {
            self.change_transient().call = call;
        }
        self
    }

    /// Sets the finished call that hooks are shown; none removes it.
    #[must_use]
    pub fn with_current_tool_execution(mut self, execution: Option<CurrentToolExecution>) -> Self {
        if self.current_tool_execution().is_some() || execution.is_some() {
            self.change_transient().execution = execution;
        }
        self
    }

    /// Sets the provisional outcome of the current step; none removes it.
    #[must_use]
    pub fn with_provisional_outcome(mut self, outcome: Option<Arc<ContinuationOutcome>>) -> Self {
        self.change_transient().outcome = outcome;
        self
    }

    /// Records that the call at an index was judged and may run. Not journaled.
    #[must_use]
    pub fn with_judged(mut self, index: u32, judged: Judged) -> Self {
        let index = index as usize;
        if self.current_step().is_none_or(|step| index >= step.calls.len()) {
            return self;
        }
        let all = &mut self.change_transient().judged;
        while all.len() <= index {
            all.push(None);
        }
        if let Some(place) = all.get_mut(index) {
            *place = Some(judged);
        }
        self
    }

    /// Removes the votes of hooks and a prevented stop.
    #[must_use]
    pub fn without_votes(mut self) -> Self {
        if !self.votes().is_empty() || self.stop_prevented().is_some() {
            let transient = self.change_transient();
            transient.votes.clear();
            transient.stop_prevented = None;
        }
        self
    }
}

//! What a state says when asked.

use std::sync::Arc;

use crate::budget::{Amounts, Ledger};
use crate::error::ErrorRecord;
use crate::id::{EffectKey, Seq, SessionId};
use crate::inference::{ModelRequest, ModelSettings, Response};
use crate::outcome::{ContinuationOutcome, StopReason, StopSignal, Vote};
use crate::state::{
    AgentState, AgentStep, Context, CurrentToolCall, CurrentToolExecution, ExecutionState,
    ExecutionStatus, Judged, Pending, SessionFacts, StepResult,
};
use crate::time::{Micros, Stamp};
use crate::tool::ToolSelection;

impl AgentState {
    /// The session.
    pub fn session(&self) -> &SessionId {
        &self.0.facts.session
    }

    /// What is true of the session whatever path it stands on.
    pub fn facts(&self) -> &SessionFacts {
        &self.0.facts
    }

    /// The context of the conversation.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// The execution under way, or the last one.
    pub fn execution(&self) -> Option<&ExecutionState> {
        self.0.execution.as_deref()
    }

    /// Where the execution stands.
    pub fn status(&self) -> Option<&ExecutionStatus> {
        self.execution().map(|execution| &execution.status)
    }

    /// The entry that the session stands at.
    pub fn head(&self) -> Seq {
        self.0.facts.head
    }

    /// What is used, held and left.
    pub fn ledger(&self) -> &Ledger {
        &self.0.facts.ledger
    }

    /// Which model is asked next, and how.
    pub fn settings(&self) -> &ModelSettings {
        &self.0.facts.definition.settings
    }

    /// The system prompt of the next inference.
    pub fn instructions(&self) -> &Arc<str> {
        &self.0.facts.definition.instructions
    }

    /// The time that the state was last told.
    pub fn now(&self) -> Stamp {
        self.0.stamp
    }

    /// The step under way.
    pub fn current_step(&self) -> Option<&AgentStep> {
        self.execution()?.current.as_deref()
    }

    /// The steps that ended in this execution, oldest first.
    pub fn step_results(&self) -> impl DoubleEndedIterator<Item = &Arc<StepResult>> {
        self.execution().into_iter().flat_map(|execution| execution.results.iter())
    }

    /// The step that ended last in this execution.
    pub fn last_step_result(&self) -> Option<&Arc<StepResult>> {
        self.execution()?.results.last()
    }

    /// The latest outcome: the provisional one of the step under way, else the recorded.
    pub fn continuation_outcome(&self) -> Option<&Arc<ContinuationOutcome>> {
        let provisional = self.0.transient.outcome.as_ref();
        provisional.or_else(|| self.execution()?.outcome.as_ref())
    }

    /// Why the execution stops or stopped.
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.continuation_outcome()?.stop_reason()
    }

    /// The request to stop that decides, the first of the highest priority.
    pub fn stop_signal(&self) -> Option<&StopSignal> {
        self.stop_signals().iter().min_by_key(|signal| signal.reason.priority())
    }

    /// Requests to stop, in the order they came.
    pub fn stop_signals(&self) -> &[StopSignal] {
        self.execution().map_or(&[], |execution| &execution.signals)
    }

    /// What waits for a person, in call order.
    pub fn pending(&self) -> &[Pending] {
        self.execution().map_or(&[], |execution| &execution.pending)
    }

    /// What the current execution used.
    pub fn used(&self) -> &Amounts {
        &self.ledger().spent
    }

    /// The response of the latest step, if it is whole and asked for no tools.
    pub fn final_response(&self) -> Option<&Arc<Response>> {
        let step = self.current_step().or_else(|| Some(&*self.last_step_result()?.step))?;
        let response = step.response.as_ref()?;
        (step.calls.is_empty() && response.incomplete.is_none()).then_some(response)
    }

    /// All errors of this execution, those of steps last.
    pub fn errors(&self) -> impl Iterator<Item = &ErrorRecord> {
        let execution = self.execution();
        let outside = execution.into_iter().flat_map(|execution| execution.errors.iter());
        let ended = self.step_results().flat_map(|result| result.step.errors.iter());
        let current = self.current_step().into_iter().flat_map(|step| step.errors.iter());
        outside.chain(ended).chain(current)
    }

    /// The error that the execution ended for, or is about to.
    pub fn ending_error(&self) -> Option<&ErrorRecord> {
        self.continuation_outcome()?.signal.as_ref()?.error.as_deref()
    }

    /// The error recorded last in the step under way, or outside of steps.
    pub fn current_error(&self) -> Option<&ErrorRecord> {
        match self.current_step() {
            Some(step) => step.errors.last(),
            None => self.execution()?.errors.last(),
        }
    }

    /// Whether answered calls of the step under way await the model.
    pub fn awaits_model(&self) -> bool {
        self.current_step().is_some_and(|step| {
            let whole = step.response.as_ref().is_some_and(|r| r.incomplete.is_none());
            whole && !step.calls.is_empty() && step.is_answered()
        })
    }

    /// The idempotency key of a call of the step under way.
    pub fn effect_key(&self, index: u32) -> Option<EffectKey> {
        let entry = self.current_step()?.response_entry?;
        Some(EffectKey { session: self.session().clone(), entry, index })
    }

    /// How long this process has been at work on the step under way, since time was last
    /// charged.
    pub fn step_time(&self) -> Micros {
        self.0.stamp.mono.since(self.0.transient.segment)
    }

    /// Which tools the step shows, if a hook chose.
    pub fn tool_selection(&self) -> Option<&Arc<ToolSelection>> {
        self.0.transient.selection.as_ref()
    }

    /// The request about to be sent.
    pub fn current_request(&self) -> Option<&Arc<ModelRequest>> {
        self.0.transient.request.as_ref()
    }

    /// The step about to be recorded, while its end is being decided.
    pub fn ending_step(&self) -> Option<&AgentStep> {
        self.0.transient.outcome.as_ref().and_then(|_| self.current_step())
    }

    /// The call that hooks are judging.
    pub fn current_tool_call(&self) -> Option<&Arc<CurrentToolCall>> {
        self.0.transient.call.as_ref()
    }

    /// The tool execution that hooks are shown.
    pub fn current_tool_execution(&self) -> Option<&CurrentToolExecution> {
        self.0.transient.execution.as_ref()
    }

    /// Whether a hook blocked or answered the call being judged.
    pub fn tool_call_decided(&self) -> bool {
        self.current_tool_call().is_some_and(|call| call.verdict.is_some())
    }

    /// Votes of hooks on the step under way.
    pub fn votes(&self) -> &[Vote] {
        &self.0.transient.votes
    }

    /// Who prevented the stop that was about to be carried out.
    pub fn stop_prevented(&self) -> Option<&str> {
        self.0.transient.stop_prevented.as_deref()
    }

    /// Whether the call at an index was checked and may run.
    pub fn is_judged(&self, index: usize) -> bool {
        self.judged(index).is_some()
    }

    /// The call at an index as it was judged, if it may run.
    pub fn judged(&self, index: usize) -> Option<&Judged> {
        self.0.transient.judged.get(index)?.as_ref()
    }
}

//! The accessors of the state.

use std::sync::Arc;

use serde_json::Value;

use crate::budget::{Amounts, Ledger};
use crate::error::ErrorRecord;
use crate::id::{EffectKey, Seq, SessionId};
use crate::inference::{ModelRequest, ModelSettings, Response, ToolChoice};
use crate::outcome::{ContinuationOutcome, StopReason, StopSignal, Vote};
use crate::output::Wanted;
use crate::state::{
    AgentState, AgentStep, Context, CurrentToolCall, CurrentToolExecution, ExecutionState,
    ExecutionStatus, Judged, Pending, ProposedCompaction, SessionFacts, StepResult,
};
use crate::time::{Micros, Stamp};
use crate::tool::ToolSelection;

impl AgentState {
    /// The id of the session.
    pub fn session(&self) -> &SessionId {
        &self.0.facts.session
    }

    /// The facts of the session, which do not depend on the head.
    pub fn facts(&self) -> &SessionFacts {
        &self.0.facts
    }

    /// The messages and metadata of the conversation, on the path to the head.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// The latest execution on the path to the head; none before the first.
    pub fn execution(&self) -> Option<&ExecutionState> {
        self.0.execution.as_deref()
    }

    /// The status of the latest execution; none before the first.
    pub fn status(&self) -> Option<&ExecutionStatus> {
        self.execution().map(|execution| &execution.status)
    }

    /// The head: the entry at which the session stands.
    pub fn head(&self) -> Seq {
        self.0.facts.head
    }

    /// The limits, and what is used and reserved.
    pub fn ledger(&self) -> &Ledger {
        &self.0.facts.ledger
    }

    /// The model and parameters of the next inference.
    pub fn settings(&self) -> &ModelSettings {
        &self.0.facts.definition.settings
    }

    /// The tool choice of the next inference: that of the settings, unless it demands a call
    /// that the execution has made.
    ///
    /// Any call is made if the last step made one, whatever came of it; a named tool was called
    /// if any step called it. Else a demand would never let the model answer.
    pub fn tool_choice(&self) -> ToolChoice {
        let Some(choice) = &self.settings().tool_choice else { return ToolChoice::Auto };
        let is_made = match choice {
            ToolChoice::Required => {
                self.last_step_result().is_some_and(|result| !result.step.calls.is_empty())
            }
            ToolChoice::Named(name) => {
                let mut calls =
                    self.step_results().rev().flat_map(|result| result.step.calls.iter());
                calls.any(|slot| *slot.call.name == **name)
            }
            ToolChoice::Auto | ToolChoice::None => false,
        };
        if is_made { ToolChoice::Auto } else { choice.clone() }
    }

    /// The system prompt of the next inference.
    pub fn instructions(&self) -> &Arc<str> {
        &self.0.facts.definition.instructions
    }

    /// The time that was last passed to [`AgentState::at`].
    pub fn now(&self) -> Stamp {
        self.0.stamp
    }

    /// The current step; none between steps.
    pub fn current_step(&self) -> Option<&AgentStep> {
        self.execution()?.current.as_deref()
    }

    /// The finished steps of the execution, oldest first.
    pub fn step_results(&self) -> impl DoubleEndedIterator<Item = &Arc<StepResult>> {
        self.execution().into_iter().flat_map(|execution| execution.results.iter())
    }

    /// The last finished step of the execution.
    pub fn last_step_result(&self) -> Option<&Arc<StepResult>> {
        self.execution()?.results.last()
    }

    /// The provisional outcome of the current step, or else the last one recorded.
    pub fn continuation_outcome(&self) -> Option<&Arc<ContinuationOutcome>> {
        let provisional = self.0.transient.outcome.as_ref();
        provisional.or_else(|| self.execution()?.outcome.as_ref())
    }

    /// Why the execution stops; none if it goes on.
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.continuation_outcome()?.stop_reason()
    }

    /// The request to stop with the highest priority; of equals the first.
    pub fn stop_signal(&self) -> Option<&StopSignal> {
        self.stop_signals().iter().min_by_key(|signal| signal.reason.priority())
    }

    /// The requests to stop, oldest first.
    pub fn stop_signals(&self) -> &[StopSignal] {
        self.execution().map_or(&[], |execution| &execution.signals)
    }

    /// The calls that wait for an answer, in call order.
    pub fn pending(&self) -> &[Pending] {
        self.execution().map_or(&[], |execution| &execution.pending)
    }

    /// What the current execution used.
    pub fn used(&self) -> &Amounts {
        &self.ledger().spent
    }

    /// What all executions of the session used.
    pub fn session_used(&self) -> &Amounts {
        &self.ledger().lifetime
    }

    /// What the step used that an entry finished, if it is a step of the execution.
    pub fn used_by_step(&self, finished: Seq) -> Option<&Amounts> {
        let result = self.step_results().rev().find(|result| result.step.id < finished)?;
        Some(&result.step.used)
    }

    /// The response of the latest step, if it is complete and calls no tools.
    pub fn final_response(&self) -> Option<&Arc<Response>> {
        let step = self.current_step().or_else(|| Some(&*self.last_step_result()?.step))?;
        let response = step.response.as_ref()?;
        (step.calls.is_empty() && response.incomplete.is_none()).then_some(response)
    }

    /// All errors of the execution: those outside of steps first, then those of steps.
    pub fn errors(&self) -> impl Iterator<Item = &ErrorRecord> {
        let execution = self.execution();
        let outside = execution.into_iter().flat_map(|execution| execution.errors.iter());
        let ended = self.step_results().flat_map(|result| result.step.errors.iter());
        let current = self.current_step().into_iter().flat_map(|step| step.errors.iter());
        outside.chain(ended).chain(current)
    }

    /// The error that ends the execution, if one does.
    pub fn ending_error(&self) -> Option<&ErrorRecord> {
        self.continuation_outcome()?.signal.as_ref()?.error.as_deref()
    }

    /// The last error of the current step, or outside of steps if there is none.
    pub fn current_error(&self) -> Option<&ErrorRecord> {
        match self.current_step() {
            Some(step) => step.errors.last(),
            None => self.execution()?.errors.last(),
        }
    }

    /// The output of the execution, if one was accepted since its last inference began.
    pub fn output(&self) -> Option<&Arc<Value>> {
        self.execution()?.output.as_ref()
    }

    /// The output that executions of this agent end with; none if any answer will do.
    pub fn wanted_output(&self) -> Option<&Arc<Wanted>> {
        self.0.facts.definition.output.as_ref()
    }

    /// How many answers in a row were rejected as output.
    pub fn rejected_outputs(&self) -> u32 {
        self.execution().map_or(0, |execution| execution.rejected)
    }

    /// Whether all calls of the current step are answered, and the model has to read them.
    pub fn awaits_model(&self) -> bool {
        self.current_step().is_some_and(|step| {
            let whole = step.response.as_ref().is_some_and(|r| r.incomplete.is_none());
            whole && !step.calls.is_empty() && step.is_answered()
        })
    }

    /// The idempotency key of a call of the current step.
    pub fn effect_key(&self, index: u32) -> Option<EffectKey> {
        let entry = self.current_step()?.response_entry?;
        Some(EffectKey { session: self.session().clone(), entry, index })
    }

    /// The active time of the current step in this process, since time was last charged.
    pub fn step_time(&self) -> Micros {
        self.0.stamp.mono.since(self.0.transient.segment)
    }

    /// The tools that the step shows, if a hook selected them.
    pub fn tool_selection(&self) -> Option<&Arc<ToolSelection>> {
        self.0.transient.selection.as_ref()
    }

    /// The request about to be sent; none outside of `on_before_inference`.
    pub fn current_request(&self) -> Option<&Arc<ModelRequest>> {
        self.0.transient.request.as_ref()
    }

    /// The compaction about to be made; none outside of `on_before_compaction`.
    pub fn proposed_compaction(&self) -> Option<&Arc<ProposedCompaction>> {
        self.0.transient.compaction.as_ref()
    }

    /// The current step, while its provisional outcome is shown to hooks.
    pub fn ending_step(&self) -> Option<&AgentStep> {
        self.0.transient.outcome.as_ref().and_then(|_| self.current_step())
    }

    /// The call that hooks may change or block; none outside of `on_before_tool_use`.
    pub fn current_tool_call(&self) -> Option<&Arc<CurrentToolCall>> {
        self.0.transient.call.as_ref()
    }

    /// The call with its outcome that hooks may change; none outside of `on_after_tool_use`.
    pub fn current_tool_execution(&self) -> Option<&CurrentToolExecution> {
        self.0.transient.execution.as_ref()
    }

    /// Whether a hook blocked or answered the current call, or wants it approved.
    pub fn tool_call_decided(&self) -> bool {
        self.current_tool_call().is_some_and(|call| call.verdict.is_some())
    }

    /// The votes of hooks on the current step.
    pub fn votes(&self) -> &[Vote] {
        &self.0.transient.votes
    }

    /// The name of the hook that prevented the stop; none if none did.
    pub fn stop_prevented(&self) -> Option<&str> {
        self.0.transient.stop_prevented.as_deref()
    }

    /// Whether the call at an index was judged and may run.
    pub fn is_judged(&self, index: usize) -> bool {
        self.judged(index).is_some()
    }

    /// The result of judging the call at an index, if it may run.
    pub fn judged(&self, index: usize) -> Option<&Judged> {
        self.0.transient.judged.get(index)?.as_ref()
    }
}

//! The state of one task with tools.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::budget::{Amounts, Budget};
use crate::continuation::{ContinuationOutcome, StopSignal, Vote};
use crate::error::ErrorRecord;
use crate::inbox::Answer;
use crate::inference::Response;
use crate::message::Message;
use crate::orchestrate::Progress;
use crate::state::{
    AgentState, AgentStep, ExecutionState, ExecutionStatus, Input, Mark, Pending, Refusal,
    StepResult,
};
use crate::transcript::Transcript;

/// The state of one task with tools: an agent's state without a journal.
///
/// It is a value: a program that keeps it after a step can go on from there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolUseState(AgentState);

impl ToolUseState {
    /// The text of the final response; empty if there is none.
    pub fn text(&self) -> String {
        self.final_response().map_or_else(String::new, |response| response.text())
    }

    /// The response of the latest step, if it is complete and calls no tools.
    pub fn final_response(&self) -> Option<&Arc<Response>> {
        self.0.final_response()
    }

    /// The conversation with the model.
    pub fn transcript(&self) -> &Transcript {
        &self.0.context().transcript
    }

    /// The execution; none before it began.
    pub fn execution(&self) -> Option<&ExecutionState> {
        self.0.execution()
    }

    /// The calls that wait for an answer, in call order.
    pub fn pending(&self) -> &[Pending] {
        self.0.pending()
    }

    /// Answers a pending call.
    ///
    /// # Errors
    /// If no pending call has this id.
    pub fn with_answer(self, answer: Answer) -> Result<Self, Refusal> {
        let events = self.0.decide(Input::Answer(answer))?;
        Ok(Self(events.into_iter().fold(self.0, AgentState::with)))
    }

    /// Appends a message to the conversation.
    #[must_use]
    pub fn with_message(self, message: impl Into<Message>) -> Self {
        Self(self.0.with_message(message))
    }

    /// Sets the system prompt of the next inference.
    #[must_use]
    pub fn with_instructions(self, instructions: impl Into<Arc<str>>) -> Self {
        Self(self.0.with_instructions(instructions))
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> Self {
        Self(self.0.with_budget(budget))
    }

    /// Adds a request to stop.
    #[must_use]
    pub fn with_stop_signal(self, signal: StopSignal) -> Self {
        Self(self.0.with_stop_signal(signal))
    }

    /// A mark of this state, for [`ToolUseState::extends`].
    pub fn mark(&self) -> Mark {
        self.0.mark()
    }

    /// Whether this state is the marked one, or was made from it by transitions.
    pub fn extends(&self, mark: &Mark) -> bool {
        self.0.extends(mark)
    }

    /// The state as the agent loop uses it.
    pub fn into_agent_state(self) -> AgentState {
        self.0
    }
}

impl From<AgentState> for ToolUseState {
    fn from(state: AgentState) -> Self {
        Self(state)
    }
}

impl Progress for ToolUseState {
    type Step = AgentStep;

    fn status(&self) -> Option<&ExecutionStatus> {
        self.0.status()
    }

    fn step_results(&self) -> impl DoubleEndedIterator<Item = &Arc<StepResult>> {
        self.0.step_results()
    }

    fn step_count(&self) -> usize {
        self.0.step_count()
    }

    fn ending_step(&self) -> Option<&AgentStep> {
        self.0.ending_step()
    }

    fn continuation_outcome(&self) -> Option<&Arc<ContinuationOutcome>> {
        self.0.continuation_outcome()
    }

    fn votes(&self) -> &[Vote] {
        self.0.votes()
    }

    fn stop_signals(&self) -> &[StopSignal] {
        self.0.stop_signals()
    }

    fn used(&self) -> &Amounts {
        self.0.used()
    }

    fn errors(&self) -> impl Iterator<Item = &ErrorRecord> {
        self.0.errors()
    }

    fn record_step_result(self, result: StepResult) -> Self {
        Self(self.0.record_step_result(result))
    }
}

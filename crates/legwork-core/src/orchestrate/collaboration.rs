//! The state of several agents that work on one goal.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::budget::Amounts;
use crate::continuation::{ContinuationOutcome, Decision, StopSignal, Vote};
use crate::error::ErrorRecord;
use crate::orchestrate::{ChatState, Conversation, Progress, Turn};
use crate::state::{ExecutionStatus, StepResult};

/// A member of a collaboration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The name, by which lines and the lead refer to it.
    pub name: Arc<str>,
    /// The task of the member, in words.
    pub role: Arc<str>,
}

/// The state of several agents that work on one goal, with a shared transcript.
///
/// It is a value: a program that keeps it after a turn can go on from there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CollaborationState {
    goal: Arc<str>,
    members: Arc<Vec<Member>>,
    chat: ChatState,
}

impl CollaborationState {
    /// A collaboration before its first turn.
    pub fn new(goal: impl Into<Arc<str>>, members: Vec<Member>, chat: ChatState) -> Self {
        Self { goal: goal.into(), members: Arc::new(members), chat }
    }

    /// The goal, in words.
    pub fn goal(&self) -> &str {
        &self.goal
    }

    /// The members, the lead included.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The text of the last turn; none unless the collaboration completed.
    pub fn result(&self) -> Option<String> {
        let completed = self.status() == Some(&ExecutionStatus::Completed);
        completed.then(|| self.last_step_result().map(|result| result.step.text())).flatten()
    }

    /// Adds a vote, which counts when the turn ends.
    #[must_use]
    pub fn with_vote(self, by: impl Into<String>, decision: Decision) -> Self {
        self.map_chat(|chat| chat.with_vote(by, decision))
    }

    /// Adds a request to stop.
    #[must_use]
    pub fn with_stop_signal(self, signal: StopSignal) -> Self {
        self.map_chat(|chat| chat.with_stop_signal(signal))
    }
}

impl Conversation for CollaborationState {
    fn chat(&self) -> &ChatState {
        &self.chat
    }

    fn map_chat(self, change: impl FnOnce(ChatState) -> ChatState) -> Self {
        Self { chat: change(self.chat), ..self }
    }
}

impl Progress for CollaborationState {
    type Step = Turn;

    fn status(&self) -> Option<&ExecutionStatus> {
        self.chat.status()
    }

    fn step_results(&self) -> impl DoubleEndedIterator<Item = &Arc<StepResult<Turn>>> {
        self.chat.step_results()
    }

    fn step_count(&self) -> usize {
        self.chat.step_count()
    }

    fn ending_step(&self) -> Option<&Turn> {
        self.chat.ending_step()
    }

    fn continuation_outcome(&self) -> Option<&Arc<ContinuationOutcome>> {
        self.chat.continuation_outcome()
    }

    fn votes(&self) -> &[Vote] {
        self.chat.votes()
    }

    fn stop_signals(&self) -> &[StopSignal] {
        self.chat.stop_signals()
    }

    fn used(&self) -> &Amounts {
        self.chat.used()
    }

    fn errors(&self) -> impl Iterator<Item = &ErrorRecord> {
        self.chat.errors()
    }

    fn record_step_result(self, result: StepResult<Turn>) -> Self {
        self.map_chat(|chat| chat.record_step_result(result))
    }
}

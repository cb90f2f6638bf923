//! The transitions of a conversation: each returns a new state.

use std::sync::Arc;

use crate::budget::{Amounts, Budget};
use crate::continuation::{ContinuationOutcome, Decision, StopSignal, Vote};
use crate::error::ErrorRecord;
use crate::message::Message;
use crate::orchestrate::chat::Inner;
use crate::orchestrate::{ChatState, Line, Turn};
use crate::state::{AgentState, ExecutionStatus};
use crate::time::Stamp;

/// Why a conversation refused an answer; nothing changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The conversation does not wait for a person.
    #[error("no person is waited for ({status}): answer when it is a person's turn")]
    NotWaiting {
        /// The status of the conversation.
        status: String,
    },
    /// The answer is empty.
    #[error("the answer is empty: say something, or cancel")]
    Empty,
}

impl ChatState {
    /// Sets the current time.
    #[must_use]
    pub fn at(mut self, stamp: Stamp) -> Self {
        if self.0.stamp != stamp {
            Arc::make_mut(&mut self.0).stamp = stamp;
        }
        self
    }

    /// Appends a line to the transcript.
    #[must_use]
    pub fn with_message(
        mut self,
        speaker: impl Into<Arc<str>>,
        message: impl Into<Message>,
    ) -> Self {
        let (speaker, message) = (speaker.into(), Arc::new(message.into()));
        self.change().transcript.push(Arc::new(Line { speaker, message }));
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.change().ledger.budget = budget;
        self
    }

    /// Adds a request to stop.
    #[must_use]
    pub fn with_stop_signal(mut self, signal: StopSignal) -> Self {
        self.change().signals.push(signal);
        self
    }

    /// Records an error: of the current turn, if there is one.
    #[must_use]
    pub fn with_error(mut self, error: ErrorRecord) -> Self {
        let inner = self.change();
        match &mut inner.current {
            Some(turn) => Arc::make_mut(turn).errors.push(error),
            None => inner.errors.push(error),
        }
        self
    }

    /// Adds a vote, which counts when the turn ends.
    #[must_use]
    pub fn with_vote(mut self, by: impl Into<String>, decision: Decision) -> Self {
        self.change().votes.push(Vote { by: by.into(), decision });
        self
    }

    /// Sets the provisional outcome of the current turn; none removes it.
    #[must_use]
    pub fn with_provisional_outcome(mut self, outcome: Option<Arc<ContinuationOutcome>>) -> Self {
        self.change().provisional = outcome;
        self
    }

    /// Charges amounts that were used outside of turns, to select a speaker.
    #[must_use]
    pub fn with_used(mut self, used: &Amounts) -> Self {
        self.change().ledger.spend(used);
        self
    }

    /// Begins the turn of a speaker; no change if there is a current turn.
    #[must_use]
    pub fn with_turn(mut self, speaker: impl Into<Arc<str>>) -> Self {
        let number = u32::try_from(self.0.results.len()).unwrap_or(u32::MAX).saturating_add(1);
        let inner = self.change();
        if inner.current.is_none() {
            inner.current = Some(Arc::new(Turn {
                number,
                speaker: speaker.into(),
                started_at: inner.stamp.wall,
                input_cut: inner.transcript.len(),
                message: None,
                execution: None,
                next: None,
                concludes: false,
                used: Amounts::default(),
                errors: Vec::new(),
            }));
        }
        self
    }

    /// Sets the result of the current turn, and charges what it used and one step.
    #[must_use]
    pub fn with_spoken(mut self, change: impl FnOnce(&mut Turn)) -> Self {
        let inner = self.change();
        let Some(turn) = &mut inner.current else { return self };
        let turn = Arc::make_mut(turn);
        change(turn);
        turn.used.steps = 1;
        inner.ledger.spend(&turn.used);
        inner.status = ExecutionStatus::InProgress;
        inner.agent = None;
        self
    }

    /// Pauses the current turn: it waits for a person, or for an agent that is not finished.
    #[must_use]
    pub fn with_rest(mut self, status: ExecutionStatus, agent: Option<AgentState>) -> Self {
        let inner = self.change();
        inner.status = status;
        inner.agent = agent.map(Box::new);
        self
    }

    /// Sets the message of the person whose turn it is.
    ///
    /// # Errors
    /// If the conversation does not wait for a person, or the message is empty.
    pub fn with_answer(mut self, message: impl Into<Message>) -> Result<Self, Refusal> {
        let message = message.into();
        let person = self.0.current.is_some() && self.0.agent.is_none();
        if self.0.status != ExecutionStatus::AwaitingInput || !person {
            return Err(Refusal::NotWaiting { status: self.0.status.to_string() });
        }
        if message.parts.is_empty() {
            return Err(Refusal::Empty);
        }
        let inner = self.change();
        if let Some(turn) = &mut inner.current {
            Arc::make_mut(turn).message = Some(Arc::new(message));
        }
        inner.status = ExecutionStatus::InProgress;
        Ok(self)
    }

    /// Ends the conversation with an outcome; a current turn is dropped.
    #[must_use]
    pub fn with_outcome(mut self, outcome: ContinuationOutcome) -> Self {
        let inner = self.change();
        inner.current = None;
        inner.end(Arc::new(outcome));
        self
    }

    /// Reopens a conversation that a limit stopped.
    #[must_use]
    pub fn reopened(mut self) -> Self {
        let inner = self.change();
        (inner.status, inner.outcome) = (ExecutionStatus::InProgress, None);
        inner.signals.clear();
        self
    }
}

impl Inner {
    /// Sets the outcome and the status that follows from it, and clears transient data.
    pub(super) fn end(&mut self, outcome: Arc<ContinuationOutcome>) {
        self.status = match outcome.should_continue() {
            true => ExecutionStatus::InProgress,
            false => outcome.stop_reason().map_or(ExecutionStatus::Stopped, |reason| reason.into()),
        };
        self.outcome = Some(outcome);
        (self.provisional, self.agent) = (None, None);
        self.votes.clear();
    }
}

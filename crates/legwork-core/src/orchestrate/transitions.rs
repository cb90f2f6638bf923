//! Named changes of a conversation; each is complete in itself and returns a new state.

use std::sync::Arc;

use crate::budget::{Amounts, Budget};
use crate::continuation::{ContinuationOutcome, Decision, StopSignal, Vote};
use crate::error::ErrorRecord;
use crate::message::Message;
use crate::orchestrate::chat::Inner;
use crate::orchestrate::{ChatState, Line, Turn};
use crate::state::{AgentState, ExecutionStatus};
use crate::time::Stamp;

/// Why a conversation says no; nothing changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Nobody waits for an answer of a person.
    #[error("nobody is waited for ({status}): an answer is taken only when it is a person's turn")]
    NotWaiting {
        /// Where the conversation stands.
        status: String,
    },
    /// An answer has no words.
    #[error("the answer is empty: say something, or cancel")]
    Empty,
}

impl ChatState {
    /// The same state told the time.
    #[must_use]
    pub fn at(mut self, stamp: Stamp) -> Self {
        if self.0.stamp != stamp {
            Arc::make_mut(&mut self.0).stamp = stamp;
        }
        self
    }

    /// A line at the end of the transcript.
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

    /// Other limits from now on.
    #[must_use]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.change().ledger.budget = budget;
        self
    }

    /// A request to stop.
    #[must_use]
    pub fn with_stop_signal(mut self, signal: StopSignal) -> Self {
        self.change().signals.push(signal);
        self
    }

    /// An error that happened: the speaker's, if a turn is under way.
    #[must_use]
    pub fn with_error(mut self, error: ErrorRecord) -> Self {
        let inner = self.change();
        match &mut inner.current {
            Some(turn) => Arc::make_mut(turn).errors.push(error),
            None => inner.errors.push(error),
        }
        self
    }

    /// A vote on going on, counted when the turn ends.
    #[must_use]
    pub fn with_vote(mut self, by: impl Into<String>, decision: Decision) -> Self {
        self.change().votes.push(Vote { by: by.into(), decision });
        self
    }

    /// The outcome that stands until the turn is recorded.
    #[must_use]
    pub fn with_provisional_outcome(mut self, outcome: Option<Arc<ContinuationOutcome>>) -> Self {
        self.change().provisional = outcome;
        self
    }

    /// Amounts used outside of turns, in choosing who speaks.
    #[must_use]
    pub fn with_used(mut self, used: &Amounts) -> Self {
        self.change().ledger.spend(used);
        self
    }

    /// A speaker has the floor; nothing changes while a turn is under way.
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

    /// The turn under way is over but for its outcome; what it used is charged, as a step.
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

    /// The turn under way rests: for a person, or with an agent that is not done.
    #[must_use]
    pub fn with_rest(mut self, status: ExecutionStatus, agent: Option<AgentState>) -> Self {
        let inner = self.change();
        inner.status = status;
        inner.agent = agent.map(Box::new);
        self
    }

    /// What a person says whose turn it is.
    ///
    /// # Errors
    /// When it is nobody's turn who is waited for; nothing changes then.
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

    /// It ends without another turn; one under way is left out.
    #[must_use]
    pub fn with_outcome(mut self, outcome: ContinuationOutcome) -> Self {
        let inner = self.change();
        inner.current = None;
        inner.end(Arc::new(outcome));
        self
    }

    /// It goes on after a limit that was raised since.
    #[must_use]
    pub fn reopened(mut self) -> Self {
        let inner = self.change();
        (inner.status, inner.outcome) = (ExecutionStatus::InProgress, None);
        inner.signals.clear();
        self
    }
}

impl Inner {
    /// An outcome was decided: between turns nothing transient is left.
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

//! Whether an ended execution may go on, or a queued message begins a new one.

use std::sync::Arc;

use crate::budget::Exhausted;
use crate::continuation::{Criterion, forbids_step};
use crate::error::ErrorSource;
use crate::event::{self, Event};
use crate::outcome::StopSignal;
use crate::state::{AgentState, ExecutionStatus, Refusal};

/// The number of incomplete answers in a row after which an execution is not reopened.
///
/// Each of them was charged.
pub const MOST_INCOMPLETE: usize = 3;

impl AgentState {
    /// The events by which a session whose execution ended goes on without new input.
    ///
    /// An execution that a limit stopped goes on if no criterion forbids the next step any
    /// more. One that failed because of its model, provider or network, or of the agent's
    /// configuration, makes its last step again, unless its last [`MOST_INCOMPLETE`] answers
    /// were incomplete; so does one that a criterion failed for now, unless its last step gave an
    /// answer. Otherwise a queued message (a follow-up, or a steering message that no
    /// inference has used) is the task of a new execution.
    ///
    /// # Errors
    /// A [`Refusal`] that says why it does not go on.
    pub fn decide_reopen(&self, criteria: &[Arc<dyn Criterion>]) -> Result<Vec<Event>, Refusal> {
        match self.reopen(criteria) {
            Ok(reopened) => Ok(vec![reopened]),
            Err(refusal) => self.queued().ok_or(refusal),
        }
    }

    fn reopen(&self, criteria: &[Arc<dyn Criterion>]) -> Result<Event, Refusal> {
        let nothing = || {
            let (session, status) = (Some(self.session().clone()), self.status_text());
            Refusal::NothingToDo { session, status }
        };
        let ended = self.execution().filter(|execution| execution.status.is_terminal());
        let outcome = ended.and_then(|execution| execution.outcome.as_ref());
        let signal = outcome.and_then(|outcome| outcome.signal.as_ref()).ok_or_else(nothing)?;
        match &signal.limit {
            Some(limit) => self.was_raised(limit)?,
            None if self.failed_outside(signal) => self.may_ask_again()?,
            None => return Err(nothing()),
        }
        let reopened = Event::ExecutionReopened(event::ExecutionReopened {});
        let again = self.clone().with(reopened.clone());
        let again = match &signal.limit {
            Some(limit) => again.with_used(limit),
            None => again,
        };
        match forbids_step(criteria, &again) {
            Some(signal) => Err(Refusal::LimitHolds { limit: signal.message }),
            None => Ok(reopened),
        }
    }

    /// Checks that a limit of the budget was raised; other limits are evaluated later.
    ///
    /// A limit may have refused a call before it was reached, so its criterion may not forbid.
    fn was_raised(&self, limited: &Exhausted) -> Result<(), Refusal> {
        let now = self.ledger().budget.limit(&limited.dimension);
        match now.is_some_and(|limit| limit <= limited.limit) {
            true => Err(Refusal::LimitHolds { limit: limited.to_string() }),
            false => Ok(()),
        }
    }

    fn failed_outside(&self, signal: &StopSignal) -> bool {
        let failed = self.status() == Some(&ExecutionStatus::Failed);
        failed
            && signal.error.as_ref().is_some_and(|error| {
                let by_criterion = matches!(error.source, ErrorSource::Criterion(_));
                error.may_pass() && !(by_criterion && self.has_answered())
            })
    }

    /// Whether the last step gave an answer, after which no model is asked again.
    fn has_answered(&self) -> bool {
        let last = self.step_results().next_back();
        last.is_some_and(|result| result.step.calls.is_empty() || self.output().is_some())
    }

    fn may_ask_again(&self) -> Result<(), Refusal> {
        let incomplete = self.step_results().rev().take_while(|result| {
            result.step.response.as_ref().is_some_and(|response| response.incomplete.is_some())
        });
        match incomplete.count() {
            times if times >= MOST_INCOMPLETE => Err(Refusal::StillIncomplete { times }),
            _ => Ok(()),
        }
    }

    /// A new execution whose task is the queued message.
    fn queued(&self) -> Option<Vec<Event>> {
        if self.status().is_some_and(|status| !status.is_terminal()) {
            return None;
        }
        let follow_up = self.facts().follow_ups.first().cloned();
        let follow_up = follow_up.filter(|_| !self.context().steered).map(Event::FollowedUp);
        if follow_up.is_none() && !self.context().steered {
            return None;
        }
        let started = event::ExecutionStarted { input: Vec::new() };
        Some(std::iter::once(Event::ExecutionStarted(started)).chain(follow_up).collect())
    }
}

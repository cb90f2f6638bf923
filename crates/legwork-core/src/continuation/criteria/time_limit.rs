//! The limit on active time.

use std::time::Duration;

use crate::budget::Dimension;
use crate::continuation::criteria::reached::{under_way, vote};
use crate::continuation::{Criterion, Decision, Error, Kind};
use crate::state::AgentState;
use crate::time::Micros;

/// Forbids the next step once the active time of the execution is used up: `time_limit`.
///
/// Counts the finished steps and the current one; waiting for people does not count.
#[derive(Debug, Clone, Copy, Default)]
pub struct TimeLimit {
    own: Option<Duration>,
}

impl TimeLimit {
    /// The limit of the budget, as it is when the criterion is evaluated.
    pub fn new() -> Self {
        Self::default()
    }

    /// This much active time, instead of the limit of the budget.
    pub fn at(most: Duration) -> Self {
        Self { own: Some(most) }
    }

    fn own(&self) -> Option<u64> {
        self.own.map(|most| Micros::from(most).0)
    }
}

impl Criterion for TimeLimit {
    fn name(&self) -> &str {
        "time_limit"
    }

    fn kind(&self) -> Kind {
        Kind::Limit
    }

    fn time_left(&self, state: &AgentState) -> Option<Micros> {
        let limit = self.own().or(state.ledger().budget.limit(&Dimension::ActiveTime))?;
        Some(Micros(limit).since(Micros(used(state))))
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        Ok(vote(self.name(), state, Dimension::ActiveTime, self.own(), used(state)))
    }
}

fn used(state: &AgentState) -> u64 {
    state.ledger().used_and_reserved().active_time.0.saturating_add(under_way(state))
}

//! A limit on the active time of all executions of a session.

use std::time::Duration;

use crate::budget::Exhausted;
use crate::continuation::criteria::reached::{reached, under_way, vote_for};
use crate::continuation::{Criterion, Decision, Error, Kind, StopReason};
use crate::state::AgentState;
use crate::time::Micros;

/// Forbids the next step once the active time of the session is used up: `cumulative_time_limit`.
///
/// Counts the active time of all executions of the session, of those on abandoned paths too,
/// and of the current step. The stop reason is `time_limit`; the dimension is
/// `cumulative_time`, in microseconds. It is independent of the budget.
#[derive(Debug, Clone, Copy)]
pub struct CumulativeTimeLimit(Micros);

impl CumulativeTimeLimit {
    /// This much active time in all executions together.
    pub fn at(most: Duration) -> Self {
        Self(most.into())
    }
}

impl Criterion for CumulativeTimeLimit {
    fn name(&self) -> &str {
        "cumulative_time_limit"
    }

    fn kind(&self) -> Kind {
        Kind::Limit
    }

    fn time_left(&self, state: &AgentState) -> Option<Micros> {
        Some(self.0.since(Micros(used(state))))
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        let limit = reached("cumulative_time".into(), Some(self.0.0), used(state));
        Ok(limit.map(|limit| {
            let words = words(&limit);
            vote_for(self.name(), StopReason::TimeLimit, limit, words)
        }))
    }
}

fn used(state: &AgentState) -> u64 {
    state.ledger().lifetime.active_time.0.saturating_add(under_way(state))
}

fn words(limit: &Exhausted) -> String {
    let [most, used] = [limit.limit, limit.used].map(|micros| Duration::from(Micros(micros)));
    format!(
        "the limit of {most:.1?} of active time in all executions leaves no room: {used:.1?} used"
    )
}

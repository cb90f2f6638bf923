//! A limit on active time in all executions of a session.

use std::time::Duration;

use crate::budget::Exhausted;
use crate::continuation::criteria::reached::{reached, under_way, vote_for};
use crate::continuation::{Criterion, Decision, Kind, StopReason};
use crate::state::AgentState;
use crate::time::Micros;

/// Forbids the next step when the active time of the session is used up: `cumulative_time_limit`.
///
/// It counts the active time of all executions of the session, also of those on paths
/// that were left, and of the step under way. The stop reason is `time_limit`; the
/// dimension is `cumulative_time`, in microseconds. It has its own number only.
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

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, String> {
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

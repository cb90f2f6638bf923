//! A limit in wall time.

use crate::budget::Dimension;
use crate::continuation::criteria::reached::vote;
use crate::continuation::{Criterion, Decision, Error, Kind};
use crate::state::AgentState;
use crate::time::{Micros, Timestamp};

/// Forbids a step at or after a point in wall time: `deadline`.
///
/// The stop reason is `time_limit`. Waiting for people counts too.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deadline {
    own: Option<Timestamp>,
}

impl Deadline {
    /// The deadline of the budget, as it is when the criterion is evaluated.
    pub fn new() -> Self {
        Self::default()
    }

    /// This point in time, instead of the one of the budget.
    pub fn at(at: Timestamp) -> Self {
        Self { own: Some(at) }
    }
}

impl Criterion for Deadline {
    fn name(&self) -> &str {
        "deadline"
    }

    fn kind(&self) -> Kind {
        Kind::Limit
    }

    fn time_left(&self, state: &AgentState) -> Option<Micros> {
        let own = self.own.map(|at| at.0);
        let at = own.or(state.ledger().budget.limit(&Dimension::Deadline))?;
        Some(Micros(at.saturating_sub(state.now().wall.0).saturating_mul(1_000)))
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        let used = state.now().wall.0;
        Ok(vote(self.name(), state, Dimension::Deadline, self.own.map(|at| at.0), used))
    }
}

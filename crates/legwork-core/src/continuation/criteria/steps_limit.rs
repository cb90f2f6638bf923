//! A limit on steps.

use crate::budget::Dimension;
use crate::continuation::criteria::reached::vote;
use crate::continuation::{Criterion, Decision, Kind};
use crate::state::AgentState;

/// Forbids the next step when no step is left: `steps_limit`.
///
/// Steps count from the start of the execution, ones that failed too; rewinding messages
/// gives none back.
#[derive(Debug, Clone, Copy, Default)]
pub struct StepsLimit {
    own: Option<u64>,
}

impl StepsLimit {
    /// The limit of the budget, whatever it is when it is asked.
    pub fn new() -> Self {
        Self::default()
    }

    /// This many steps, in place of the limit of the budget.
    pub fn at(most: u64) -> Self {
        Self { own: Some(most) }
    }
}

impl Criterion for StepsLimit {
    fn name(&self) -> &str {
        "steps_limit"
    }

    fn kind(&self) -> Kind {
        Kind::Limit
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, String> {
        let used = state.ledger().used_and_reserved().steps;
        Ok(vote(self.name(), state, Dimension::Steps, self.own, used))
    }
}

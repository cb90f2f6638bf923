//! The limit on steps.

use crate::budget::Dimension;
use crate::continuation::criteria::reached::vote;
use crate::continuation::{Criterion, Decision, Error, Kind};
use crate::state::AgentState;

/// Forbids the next step once no step is left: `steps_limit`.
///
/// Counts all steps of the execution, failed ones too; moving the head does not reduce it.
#[derive(Debug, Clone, Copy, Default)]
pub struct StepsLimit {
    own: Option<u64>,
}

impl StepsLimit {
    /// The limit of the budget, as it is when the criterion is evaluated.
    pub fn new() -> Self {
        Self::default()
    }

    /// This many steps, instead of the limit of the budget.
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

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        let used = state.ledger().used_and_reserved().steps;
        Ok(vote(self.name(), state, Dimension::Steps, self.own, used))
    }
}

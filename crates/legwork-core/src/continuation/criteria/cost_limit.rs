//! The limit on money.

use crate::budget::{Dimension, MicroUsd};
use crate::continuation::criteria::reached::vote;
use crate::continuation::{Criterion, Decision, Error, Kind};
use crate::state::AgentState;

/// Forbids the next step once the money is spent: `cost_limit`.
///
/// What is reserved counts as spent.
#[derive(Debug, Clone, Copy, Default)]
pub struct CostLimit {
    own: Option<MicroUsd>,
}

impl CostLimit {
    /// The limit of the budget, as it is when the criterion is evaluated.
    pub fn new() -> Self {
        Self::default()
    }

    /// This limit, instead of the one of the budget.
    pub fn at(most: MicroUsd) -> Self {
        Self { own: Some(most) }
    }
}

impl Criterion for CostLimit {
    fn name(&self) -> &str {
        "cost_limit"
    }

    fn kind(&self) -> Kind {
        Kind::Limit
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        let used = state.ledger().used_and_reserved().cost.0;
        Ok(vote(self.name(), state, Dimension::Cost, self.own.map(|most| most.0), used))
    }
}

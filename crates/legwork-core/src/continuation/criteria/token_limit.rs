//! The limits on tokens.

use crate::budget::Dimension;
use crate::continuation::criteria::reached::vote;
use crate::continuation::{Criterion, Decision, Error, Kind};
use crate::state::AgentState;

/// Forbids the next step once no token is left, of input, output or both: `token_limit`.
///
/// What is reserved counts as used. Of several limits that are reached, it votes by the first
/// in this order.
#[derive(Debug, Clone, Copy, Default)]
pub struct TokenLimit {
    input: Option<u64>,
    output: Option<u64>,
    total: Option<u64>,
}

impl TokenLimit {
    /// The limits of the budget, as they are when the criterion is evaluated.
    pub fn new() -> Self {
        Self::default()
    }

    /// This many input and output tokens together, instead of that limit of the budget.
    pub fn at(most: u64) -> Self {
        Self { total: Some(most), ..Self::default() }
    }

    /// The same with this many input tokens, instead of that limit of the budget.
    #[must_use]
    pub fn input(self, most: u64) -> Self {
        Self { input: Some(most), ..self }
    }

    /// The same with this many output tokens, instead of that limit of the budget.
    #[must_use]
    pub fn output(self, most: u64) -> Self {
        Self { output: Some(most), ..self }
    }
}

impl Criterion for TokenLimit {
    fn name(&self) -> &str {
        "token_limit"
    }

    fn kind(&self) -> Kind {
        Kind::Limit
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        let used = state.ledger().used_and_reserved();
        let checks = [
            (Dimension::InputTokens, self.input, used.input),
            (Dimension::OutputTokens, self.output, used.output),
            (Dimension::TotalTokens, self.total, used.total_tokens()),
        ];
        let mut votes = checks
            .into_iter()
            .filter_map(|(dimension, own, used)| vote(self.name(), state, dimension, own, used));
        Ok(votes.next())
    }
}

//! A limit on tokens.

use crate::budget::Dimension;
use crate::continuation::criteria::reached::vote;
use crate::continuation::{Criterion, Decision, Kind};
use crate::state::AgentState;

/// Forbids the next step when no token is left, of input, output or both: `token_limit`.
///
/// What is held for calls under way counts as used. Of several limits that are reached
/// the first in that order is told.
#[derive(Debug, Clone, Copy, Default)]
pub struct TokenLimit {
    input: Option<u64>,
    output: Option<u64>,
    total: Option<u64>,
}

impl TokenLimit {
    /// The limits of the budget, whatever they are when it is asked.
    pub fn new() -> Self {
        Self::default()
    }

    /// This many input and output tokens together, in place of that limit of the budget.
    pub fn at(most: u64) -> Self {
        Self { total: Some(most), ..Self::default() }
    }

    /// This many input tokens, in place of that limit of the budget.
    #[must_use]
    pub fn input(self, most: u64) -> Self {
        Self { input: Some(most), ..self }
    }

    /// This many output tokens, in place of that limit of the budget.
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

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, String> {
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

//! A limit on tool calls.

use crate::budget::Dimension;
use crate::continuation::criteria::reached::vote;
use crate::continuation::{Criterion, Decision, Kind};
use crate::state::AgentState;

/// Forbids the next step when no tool call is left: `tool_calls_limit`.
///
/// Calls that began count, whatever came of them. A batch that would pass the limit is
/// refused before it runs, by the loop.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolCallsLimit {
    own: Option<u64>,
}

impl ToolCallsLimit {
    /// The limit of the budget, whatever it is when it is asked.
    pub fn new() -> Self {
        Self::default()
    }

    /// This many tool calls, in place of the limit of the budget.
    pub fn at(most: u64) -> Self {
        Self { own: Some(most) }
    }
}

impl Criterion for ToolCallsLimit {
    fn name(&self) -> &str {
        "tool_calls_limit"
    }

    fn kind(&self) -> Kind {
        Kind::Limit
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, String> {
        let used = state.ledger().committed().tool_calls;
        Ok(vote(self.name(), state, Dimension::ToolCalls, self.own, used))
    }
}

//! The limit on tool calls.

use crate::budget::{Dimension, Exhausted};
use crate::continuation::{Criterion, Decision, Error, Kind, StopSignal};
use crate::state::{AgentState, CallSlot, CallStatus};

/// Forbids the calls of a turn if together they would exceed the limit: `tool_calls_limit`.
///
/// Counts the calls that began, whatever their outcome. The model reads the result of the last
/// allowed call and may answer; only calls beyond the limit stop the execution.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolCallsLimit {
    own: Option<u64>,
}

impl ToolCallsLimit {
    /// The limit of the budget, as it is when the criterion is evaluated.
    pub fn new() -> Self {
        Self::default()
    }

    /// This many tool calls, instead of the limit of the budget.
    pub fn at(most: u64) -> Self {
        Self { own: Some(most) }
    }
}

impl Criterion for ToolCallsLimit {
    fn name(&self) -> &str {
        "tool_calls_limit"
    }

    fn kind(&self) -> Kind {
        Kind::Calls
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        let Some(limit) = self.own.or(state.ledger().budget.tool_calls) else { return Ok(None) };
        let (dimension, used) =
            (Dimension::ToolCalls, state.ledger().used_and_reserved().tool_calls);
        let open = |slot: &&CallSlot| slot.status == CallStatus::Open;
        let calls = state.current_step().into_iter().flat_map(|step| step.calls.iter());
        let wanted = calls.filter(open).count() as u64;
        if wanted == 0 || used.saturating_add(wanted) <= limit {
            return Ok(None);
        }
        let exhausted = Exhausted { dimension, limit, used, wanted };
        Ok(Some(Decision::Forbid(StopSignal::limit(self.name(), exhausted))))
    }
}

//! What the limits have in common.

use crate::budget::{Dimension, Exhausted};
use crate::continuation::{Decision, StopReason, StopSignal};
use crate::state::AgentState;

/// The limit, if what is used has reached it, so that nothing is left for another step.
pub(super) fn reached(dimension: Dimension, limit: Option<u64>, used: u64) -> Option<Exhausted> {
    let limit = limit.filter(|limit| used >= *limit)?;
    Some(Exhausted { dimension, limit, used, wanted: 1 })
}

/// The vote of a limit on a dimension: by its own number, or else that of the budget.
pub(super) fn vote(
    name: &str,
    state: &AgentState,
    dimension: Dimension,
    own: Option<u64>,
    used: u64,
) -> Option<Decision> {
    let limit = own.or_else(|| state.ledger().budget.limit(&dimension));
    let exhausted = reached(dimension, limit, used)?;
    Some(Decision::Forbid(StopSignal::limit(name, exhausted)))
}

/// The vote of a limit that is not in the budget, with its own message.
pub(super) fn vote_for(
    name: &str,
    reason: StopReason,
    exhausted: Exhausted,
    words: String,
) -> Decision {
    let signal = StopSignal::new(reason, name, words);
    Decision::Forbid(StopSignal { limit: Some(exhausted), ..signal })
}

/// Active time of the current step that is not in the ledger yet, in microseconds.
pub(super) fn under_way(state: &AgentState) -> u64 {
    state.current_step().map_or(0, |_| state.step_time().0)
}

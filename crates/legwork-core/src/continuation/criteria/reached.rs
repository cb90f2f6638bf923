//! What limits have in common: a number that is reached.

use crate::budget::{Dimension, Exhausted};
use crate::continuation::{Decision, StopReason, StopSignal};
use crate::state::AgentState;

/// The limit, if what is used has come up to it: then no more is left for another step.
pub(super) fn reached(dimension: Dimension, limit: Option<u64>, used: u64) -> Option<Exhausted> {
    let limit = limit.filter(|limit| used >= *limit)?;
    Some(Exhausted { dimension, limit, used, wanted: 1 })
}

/// The vote of a limit on a dimension of the budget: its own number counts, if it has one.
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

/// The vote of a limit that no budget has, in words of its own.
pub(super) fn vote_for(
    name: &str,
    reason: StopReason,
    exhausted: Exhausted,
    words: String,
) -> Decision {
    let signal = StopSignal::new(reason, name, words);
    Decision::Forbid(StopSignal { limit: Some(exhausted), ..signal })
}

/// Active time on the step under way, which no ledger has yet; in microseconds.
pub(super) fn under_way(state: &AgentState) -> u64 {
    state.current_step().map_or(0, |_| state.step_time().0)
}

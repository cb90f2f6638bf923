//! Active time of a step: when it is charged, and how much.

use legwork_core::event::Worked;
use legwork_core::{AgentState, Event, ExecutionStatus, Micros, Timestamp};

/// How much active time may pass, while a call runs, before it is charged durably. The death
/// of the process loses no more, and is charged so much.
pub(crate) const BEAT: Micros = Micros(10_000_000);

/// Active time that is worth an entry when something is committed in mid-step.
const WORTH: Micros = Micros(1_000_000);

/// The state with active time charged that is worth it, before it is committed.
pub(crate) fn charge_due(state: AgentState) -> AgentState {
    let due = state.current_step().is_some() && state.step_time() >= WORTH;
    if due { charge(state, false) } else { state }
}

/// The state of a step that a run takes up. A run before that died at it worked longer than
/// it was charged: at most until now, and at most until time would have been charged.
pub(crate) fn taken_up(state: AgentState) -> AgentState {
    // One that waits may have been at work beside the subagent that it waits for.
    let works = state.status() == Some(&ExecutionStatus::InProgress);
    if state.current_step().is_none() || !(works || state.facts().at_work.is_some()) {
        return state;
    }
    let since = |at: Timestamp| state.now().wall.0.saturating_sub(at.0);
    let gap = state.facts().at_work.map_or(0, since);
    let took = Micros(gap.saturating_mul(1_000)).min(BEAT);
    state.with(Event::Worked(Worked { took, rests: false }))
}

/// The state with the active time of its step charged.
pub(crate) fn charge(state: AgentState, rests: bool) -> AgentState {
    let took = state.step_time();
    state.with(Event::Worked(Worked { took, rests }))
}

//! Calls that began and of which nobody knows whether they happened.

use legwork_core::event::Paused;
use legwork_core::state::{CallSlot, CallStatus, PendingReason};
use legwork_core::{AgentState, EffectClass, Event, OnDoubt, ToolOutcome};

use crate::context::StepContext;

/// The calls of the step that began and have no outcome, with their indexes.
pub(crate) fn begun(state: &AgentState) -> Vec<(u32, CallSlot)> {
    let slots = state.current_step().into_iter().flat_map(|step| step.calls.iter());
    let started = |slot: &CallSlot| matches!(slot.status, CallStatus::Started(_));
    (0u32..).zip(slots).filter(|(_, slot)| started(slot)).map(|(i, s)| (i, s.clone())).collect()
}

/// Answers `Once` calls that began under another run and have no outcome: the model is
/// told, or a person is asked.
pub(crate) fn settle_doubt(mut state: AgentState, cx: &StepContext) -> AgentState {
    let slots = begun(&state);
    if slots.is_empty() {
        return state;
    }
    let mut pending = state.pending().to_vec();
    let asked = pending.len();
    for (index, slot) in slots {
        let CallStatus::Started(EffectClass::Once(on_doubt)) = slot.status else { continue };
        if state.is_pending(index as usize) {
            continue;
        }
        if cx.on_doubt.unwrap_or(on_doubt) == OnDoubt::Tell {
            state = cx.answer(state, index, &slot.call, ToolOutcome::Interrupted);
            continue;
        }
        let Some(key) = state.effect_key(index) else { continue };
        pending.push(slot.pending(&key, PendingReason::Doubt, state.now().wall));
    }
    if pending.len() == asked {
        return state;
    }
    state.with(Event::Paused(Paused { pending }))
}

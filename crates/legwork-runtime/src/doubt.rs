//! Calls that began and of which nobody knows whether they happened.

use legwork_core::event::Paused;
use legwork_core::state::{CallStatus, PendingReason};
use legwork_core::{AgentState, EffectClass, Event, OnDoubt, ToolOutcome};

use crate::context::StepContext;

/// Answers `Once` calls that began under another run and have no outcome: the model is
/// told, or a person is asked.
pub(crate) fn settle_doubt(mut state: AgentState, cx: &StepContext) -> AgentState {
    if state.calls_begun().next().is_none() {
        return state;
    }
    let slots: Vec<_> = state.calls_begun().map(|(index, slot)| (index, slot.clone())).collect();
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

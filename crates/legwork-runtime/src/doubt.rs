//! Calls that began and of which nobody knows whether they happened.

use legwork_core::state::{CallStatus, PendingReason};
use legwork_core::{AgentState, EffectClass, OnDoubt, ToolOutcome};

use crate::context::StepContext;

/// Answers `Once` calls that began under another run and have no outcome: the model is
/// told, or a person is asked.
pub(crate) fn settle_doubt(mut state: AgentState, cx: &StepContext) -> AgentState {
    if state.calls_begun().next().is_none() {
        return state;
    }
    let slots: Vec<_> = state.calls_begun().map(|(index, slot)| (index, slot.clone())).collect();
    let mut asked = Vec::new();
    for (index, slot) in slots {
        let CallStatus::Started(EffectClass::Once(on_doubt)) = slot.status else { continue };
        if state.is_pending(index as usize) {
            continue;
        }
        if cx.waits.on_doubt.unwrap_or(on_doubt) == OnDoubt::Tell {
            state = cx.answer(state, index, ToolOutcome::Interrupted);
            continue;
        }
        asked.extend(state.as_pending(index, PendingReason::Doubt));
    }
    state.with_pending(asked)
}

//! Subagents that wait for somebody, and calls of those that are given up.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::event::{Paused, ToolFinished};
use legwork_core::state::{Pending, PendingReason};
use legwork_core::tool::Metadata;
use legwork_core::{AgentState, Event, Micros, ToolOutcome};
use legwork_port::LiveEvent;

use crate::context::StepContext;
use crate::error::Halt;
use crate::subagent::family::used_by;
use crate::subagent::link::link;

/// The subagent of a call waits for somebody: so does the agent that spawned it. One that
/// was interrupted waits for nobody: its call stays open for the next run.
pub(crate) fn wait(state: AgentState, cx: &StepContext, index: u32) -> AgentState {
    if cx.control.interrupt.is_cancelled() {
        return state;
    }
    let slot = state.current_step().and_then(|step| step.calls.get(index as usize));
    let (Some(slot), Some(key)) = (slot, state.effect_key(index)) else { return state };
    let mut pending = state.pending().to_vec();
    pending.push(Pending::new(&key, slot, PendingReason::Subagent, state.now().wall));
    pending.sort_by_key(|pending| pending.index);
    state.with(Event::Paused(Paused { pending }))
}

/// A run that takes a session up lets its waiting subagents look again.
pub(crate) fn awaken(state: AgentState) -> AgentState {
    let waits = |pending: &Pending| pending.reason == PendingReason::Subagent;
    if !state.pending().iter().any(waits) {
        return state;
    }
    let pending = state.pending().iter().filter(|pending| !waits(pending)).cloned().collect();
    state.with(Event::Paused(Paused { pending }))
}

/// Answers a call that began under another run and does not go on. What its subagent used
/// is charged, as its journal says.
pub(crate) async fn interrupted(
    state: AgentState,
    cx: &StepContext,
    index: u32,
) -> Result<AgentState, Halt> {
    let Some(step) = state.current_step() else { return Ok(state) };
    let Some(slot) = step.calls.get(index as usize) else { return Ok(state) };
    let outcome = Arc::new(ToolOutcome::Interrupted);
    let (step, call) = (step.number, &slot.call);
    let (took, metadata) = (Micros::ZERO, Metadata::default());
    let (told, left) = (&*outcome, &metadata);
    cx.live(&LiveEvent::ToolFinished { step, index, call, outcome: told, metadata: left });
    let used = match &slot.child {
        None => Amounts::default(),
        Some(child) => match used_by(&*cx.agent.store, child, &link(&state, &slot.call.id)).await {
            Ok(used) => used,
            Err(error) => return Err(Halt::new(state, error)),
        },
    };
    Ok(state.with(Event::ToolFinished(ToolFinished { index, outcome, took, metadata, used })))
}

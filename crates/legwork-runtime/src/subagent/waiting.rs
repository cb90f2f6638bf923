//! Subagents that wait for somebody, and calls of those that are given up.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::event::{ExecutionFinished, ParentLink, Paused, StepFinished, ToolFinished};
use legwork_core::state::{CallStatus, Pending, PendingReason};
use legwork_core::tool::Metadata;
use legwork_core::{
    AgentState, ContinuationOutcome, Event, ExecutionStatus, Micros, SessionId, StopReason,
    StopSignal, ToolOutcome,
};
use legwork_port::store::{Batch, Range};
use legwork_port::{BoxFuture, Claim, Emitter, Origin, store};

use super::link::{check, link};
use super::turn::used_by;
use crate::context::StepContext;
use crate::error::Halt;
use crate::services::Services;
use crate::writer;

/// The subagent of a call waits for somebody: so does the agent that spawned it. One that
/// was interrupted waits for nobody: its call stays open for the next run.
pub(crate) fn wait(state: AgentState, cx: &StepContext, index: u32) -> AgentState {
    if cx.control.interrupt.is_cancelled() {
        return state;
    }
    let slot = state.current_step().and_then(|step| step.calls.get(index as usize));
    let (Some(slot), Some(key)) = (slot, state.effect_key(index)) else { return state };
    let mut pending = state.pending().to_vec();
    pending.push(slot.pending(&key, PendingReason::Subagent, state.now().wall));
    pending.sort_by_key(|pending| pending.index);
    state.with(Event::Paused(Paused { pending }))
}

/// A run that takes a session up lets its waiting subagents look again.
pub(crate) fn resume_waiting(state: AgentState) -> AgentState {
    let waits = |pending: &Pending| pending.reason == PendingReason::Subagent;
    if !state.pending().iter().any(waits) {
        return state;
    }
    let pending = state.pending().iter().filter(|pending| !waits(pending)).cloned().collect();
    state.with(Event::Paused(Paused { pending }))
}

/// Answers a call that began and does not go on: it may or may not have happened.
pub(crate) async fn interrupted(
    state: AgentState,
    cx: &StepContext,
    index: u32,
) -> Result<AgentState, Halt> {
    end_call(state, cx, index, ToolOutcome::Interrupted).await
}

/// Answers a call that does not go on. Its subagent, if it has one, which no run continues
/// with, is ended as cancelled, and what it used is charged, as its journal says.
pub(crate) async fn end_call(
    state: AgentState,
    cx: &StepContext,
    index: u32,
    outcome: ToolOutcome,
) -> Result<AgentState, Halt> {
    let Some(step) = state.current_step() else { return Ok(state) };
    let Some(slot) = step.calls.get(index as usize) else { return Ok(state) };
    let (took, metadata, used) = (Micros::ZERO, Metadata::default(), Amounts::default());
    let mut finished = ToolFinished { index, outcome: Arc::new(outcome), took, metadata, used };
    cx.emit_finished(&slot.call, &finished);
    finished.used = match &slot.child {
        None => Amounts::default(),
        Some(child) => match cancel(&cx.services, child, &link(&state, &slot.call.id)).await {
            Ok(used) => used,
            Err(error) => return Err(Halt::new(state, error)),
        },
    };
    Ok(state.with(Event::ToolFinished(finished)))
}

/// How often the end of a subagent is written: one append of it may have been under way when
/// its run was dropped, and be taken by the store after its journal was read.
const TRIES: usize = 3;

/// Ends the session of a subagent as cancelled, and those below it, unless it has ended or
/// somebody holds it; gives what it used.
pub(super) fn cancel<'a>(
    services: &'a Services,
    child: &'a SessionId,
    link: &'a ParentLink,
) -> BoxFuture<'a, Result<Amounts, store::Error>> {
    Box::pin(async move {
        let store = &services.store;
        let claim = match store.claim(child).await {
            Ok(claim) => claim,
            Err(error) if error.is_conflict() => return used_by(&**store, child, link).await,
            Err(error) => return Err(error),
        };
        let used = match end_under(services, &*claim, child, link).await {
            Ok(()) => used_by(&**store, child, link).await,
            Err(error) => Err(error),
        };
        let origin = Arc::new(Origin::root(child.clone()));
        let events = Emitter::new(origin, Arc::clone(&services.observer));
        writer::release(claim, &events).await;
        used
    })
}

/// Ends the execution of a subagent as cancelled, under the claim of its session.
async fn end_under(
    services: &Services,
    claim: &dyn Claim,
    child: &SessionId,
    link: &ParentLink,
) -> Result<(), store::Error> {
    for tried in 1.. {
        let loaded = services.store.read(child, Range::ALL).await?.writable(child)?;
        let state = loaded.journal.fold(child).at(services.clock.now());
        let state = state.masked_by(&services.mask);
        let ours = check(&state, link).is_ok();
        if !ours || state.status().is_none_or(ExecutionStatus::is_terminal) {
            break;
        }
        let ended = end_cancelled(services, state).await?;
        let entries = ended.uncommitted().to_shared();
        let batch = Batch::of(&entries).with_summary(ended.summary());
        match claim.append(ended.committed_version(), batch).await {
            Ok(_) => break,
            Err(error) if error.is_conflict() && tried < TRIES => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The state of a subagent with its open calls answered, and its execution ended.
async fn end_cancelled(services: &Services, state: AgentState) -> Result<AgentState, store::Error> {
    let words = "the agent that spawned it was stopped";
    let signal = StopSignal::new(StopReason::UserRequested, "parent", words);
    let mut state = state.with_stop_signal(signal.clone());
    let slots = state.current_step().map(|step| step.calls.clone()).unwrap_or_default();
    for (index, slot) in (0u32..).zip(slots.iter()).filter(|(_, slot)| slot.execution().is_none()) {
        let used = match &slot.child {
            Some(child) => cancel(services, child, &link(&state, &slot.call.id)).await?,
            None => Amounts::default(),
        };
        let outcome = match slot.status {
            CallStatus::Open => ToolOutcome::Skipped(words.to_owned()),
            _ => ToolOutcome::Interrupted,
        };
        let (outcome, took, metadata) = (Arc::new(outcome), Micros::ZERO, Metadata::default());
        state =
            state.with(Event::ToolFinished(ToolFinished { index, outcome, took, metadata, used }));
    }
    let outcome = Arc::new(ContinuationOutcome::stop(signal));
    if state.current_step().is_some() {
        let finished = StepFinished { outcome: Arc::clone(&outcome), took: Micros::ZERO };
        state = state.with(Event::StepFinished(finished));
    }
    let status = ExecutionStatus::Cancelled;
    Ok(state.with(Event::ExecutionFinished(ExecutionFinished { status, outcome })))
}

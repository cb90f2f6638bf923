//! Ending subagents that no run continues with.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::event::{ExecutionFinished, ParentLink, StepFinished, ToolFinished};
use legwork_core::state::CallStatus;
use legwork_core::{
    AgentState, ContinuationOutcome, Event, ExecutionStatus, Micros, SessionId, StopReason,
    StopSignal, ToolOutcome,
};
use legwork_port::store::{Batch, Range};
use legwork_port::{BoxFuture, Claim, store};
use legwork_runtime::Services;

use super::turn::used_by;

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
        let store = &services.sessions.store;
        let claim = match store.claim(child).await {
            Ok(claim) => claim,
            Err(store::Error::Held { .. }) => return used_by(&**store, child, link).await,
            Err(error) => return Err(error),
        };
        let used = match end_under(services, &*claim, child, link).await {
            Ok(()) => used_by(&**store, child, link).await,
            Err(error) => Err(error),
        };
        services.sessions.release(claim, child).await;
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
        let loaded = services.sessions.store.read(child, Range::ALL).await?.writable(child)?;
        let state = loaded.journal.fold(child).at(services.sessions.clock.now());
        let state = state.masked_by(&services.sessions.mask);
        let ours = state.is_linked_by(link);
        if !ours || state.status().is_none_or(ExecutionStatus::is_terminal) {
            break;
        }
        let ended = end_cancelled(services, state).await?;
        let entries = ended.uncommitted().to_shared();
        let batch = Batch::of(&entries).with_summary(ended.summary());
        match claim.append(ended.committed_version(), batch).await {
            Ok(_) => break,
            Err(store::Error::Moved { .. }) if tried < TRIES => {}
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
    for (index, slot) in state.calls_unanswered() {
        let used = match &slot.child {
            Some(child) => cancel(services, child, &state.link_to(&slot.call.id)).await?,
            None => Amounts::default(),
        };
        let outcome = match slot.status {
            CallStatus::Open => ToolOutcome::Skipped(words.to_owned()),
            _ => ToolOutcome::Interrupted,
        };
        let finished = ToolFinished { used, ..ToolFinished::without_running(index, outcome) };
        state = state.with(Event::ToolFinished(finished));
    }
    let outcome = Arc::new(ContinuationOutcome::stop(signal));
    if state.current_step().is_some() {
        let finished = StepFinished { outcome: Arc::clone(&outcome), took: Micros::ZERO };
        state = state.with(Event::StepFinished(finished));
    }
    let status = ExecutionStatus::Cancelled;
    Ok(state.with(Event::ExecutionFinished(ExecutionFinished { status, outcome })))
}

//! How an execution ends: what may prevent it, and what becomes of one that failed.

use std::sync::Arc;

use legwork_core::event::StopPrevented;
use legwork_core::inbox::FollowUps;
use legwork_core::{AgentState, ContinuationOutcome, Event, Owed, StopReason, StopSignal};
use legwork_port::Trigger;
use tracing::info;

use crate::context::StepContext;
use crate::error::Halt;
use crate::inbox::take_inbox;

/// The outcome where a replaced Core decided none.
pub(crate) fn nothing_decided() -> Arc<ContinuationOutcome> {
    let words = "the core lifecycle decided nothing";
    Arc::new(ContinuationOutcome::stop(StopSignal::new(StopReason::Unknown, "core", words)))
}

/// A stop is about to be carried out: it may be prevented, else the execution ends.
pub(crate) async fn stop(cx: &StepContext, state: AgentState) -> Result<AgentState, Halt> {
    let state = take_inbox(cx, state).await?;
    if state.owed() != Owed::Stop {
        return Ok(state);
    }
    let state = decide_stop(state);
    let raised = state.stop_signals().len();
    let begun = state.clone();
    let state = cx.fire(Trigger::BeforeStop, state).await;
    if cx.control.interrupt.is_cancelled() {
        return Ok(begun);
    }
    let Some(outcome) = state.continuation_outcome().cloned() else { return Ok(state) };
    let outcome = overruled(&state, raised).unwrap_or(outcome);
    // What was asked to stop takes up nothing new, though it stopped for another reason.
    let stopped = !state.stop_signals().is_empty();
    let forbidden = stopped || outcome.stop_reason().is_none_or(StopReason::forbids);
    if !forbidden {
        let waiting = Arc::clone(&state.facts().follow_ups);
        let delivered = match cx.services.follow_ups {
            FollowUps::Together => waiting.len(),
            _ => waiting.len().min(1),
        };
        if delivered > 0 {
            let messages = waiting.iter().take(delivered).cloned().map(Event::FollowedUp);
            return Ok(messages.fold(state, AgentState::with));
        }
        if let Some(by) = state.stop_prevented().map(str::to_owned) {
            let state = state.without_votes();
            return Ok(state.with(Event::StopPrevented(StopPrevented { by })));
        }
    }
    let state = cx.services.core.end_execution(state, outcome, &cx.view);
    let state = cx.fire(Trigger::ExecutionEnd, state).await;
    // Interrupted meanwhile, hooks see the end when it is resumed.
    if cx.control.interrupt.is_cancelled() {
        return cx.commit(begun).await;
    }
    let state = cx.commit_end(state, begun).await?;
    if let Some(status) = state.status().filter(|status| status.is_terminal()) {
        let reason = state.stop_reason().map_or("none", |reason| reason.as_str());
        info!(status = status.as_str(), reason, "execution ended");
    }
    Ok(state)
}

/// The outcome by what was raised when the stop was about to be carried out, if that is
/// stronger than why it stops.
fn overruled(state: &AgentState, since: usize) -> Option<Arc<ContinuationOutcome>> {
    let raised = state.stop_signals().iter().skip(since);
    let strongest = raised.min_by_key(|signal| signal.reason.priority())?;
    let stands = state.stop_reason().is_some_and(|r| r.priority() <= strongest.reason.priority());
    (!stands).then(|| Arc::new(ContinuationOutcome::stop(strongest.clone())))
}

/// A signal raised between steps decides the outcome; one decided at a step's end stands.
fn decide_stop(state: AgentState) -> AgentState {
    let decided = state.execution().and_then(|execution| execution.outcome.as_ref());
    if decided.is_some_and(|outcome| !outcome.should_continue()) {
        return state;
    }
    let raised = state.stop_signal().cloned();
    let raised = raised.map(|signal| Arc::new(ContinuationOutcome::stop(signal)));
    let outcome = raised.unwrap_or_else(nothing_decided);
    state.with_provisional_outcome(Some(outcome))
}

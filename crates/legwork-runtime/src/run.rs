//! The loop: a match on what is owed.
//!
//! A live step, a resumed one, one that comes back from an answer and a simulated one
//! take the same arm, so recovery has no path of its own.

use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::Ordering;

use legwork_core::continuation::forbids_step;
use legwork_core::state::{CallSlot, CurrentToolExecution};
use legwork_core::{AgentState, Owed, StopReason, StopSignal};
use legwork_port::{EventKind, Trigger, unwind};
use tracing::debug;

use crate::context::StepContext;
use crate::driver::{self, Driver};
use crate::error::{Halt, HaltReason};
use crate::inbox::take_before_step;
use crate::output;
use crate::pause::pause;
use crate::result::Advance;
use crate::stop::{nothing_decided, stop};

/// Does what is owed until a step has ended, or nothing is owed.
pub(crate) async fn step(
    driver: &dyn Driver,
    cx: &StepContext,
    state: AgentState,
) -> Result<Advance, Halt> {
    let mut state = cx.tick(state);
    loop {
        cx.emit(|| EventKind::StateUpdated { seq: state.version(), head: state.head() });
        cx.emit_signals(&state);
        let rests = state.facts().suspended.is_some() || rests_now(cx, &state);
        if rests || cx.control.interrupt.is_cancelled() {
            let state = cx.commit(cx.rest(state)).await?;
            return match rests {
                true => Ok(Advance::Rest(state)),
                false => Err(Halt::new(state, HaltReason::Interrupted)),
            };
        }
        state = raise_cancel(cx, state);
        state = match state.owed() {
            Owed::Nothing => return Ok(Advance::Rest(cx.commit(state).await?)),
            Owed::Infer if state.current_step().is_none() => match begin_step(cx, state).await? {
                Continue(state) => drive(driver, cx, state).await?,
                Break(state) => state,
            },
            Owed::Infer | Owed::JudgeCalls | Owed::RunCalls => drive(driver, cx, state).await?,
            Owed::Pause => return pause(cx, state).await,
            Owed::EndStep => match end_step(driver, cx, state).await {
                Continue(state) => return Ok(Advance::More(state)),
                Break(state) => state,
            },
            Owed::Stop => stop(cx, state).await?,
        };
    }
}

/// Whether the run was asked to rest between two steps, and stands there.
fn rests_now(cx: &StepContext, state: &AgentState) -> bool {
    cx.control.rest.is_cancelled() && state.current_step().is_none() && state.owed() == Owed::Infer
}

/// A raised cancellation becomes a stop signal, once.
fn raise_cancel(cx: &StepContext, state: AgentState) -> AgentState {
    let running = state.status().is_some_and(|status| !status.is_terminal());
    let known = state.stop_signals().iter().any(|s| s.reason == StopReason::UserRequested);
    if !running || known || !cx.control.cancel.is_cancelled() {
        return state;
    }
    let words = "it was cancelled";
    state.with_stop_signal(StopSignal::new(StopReason::UserRequested, "cancellation", words))
}

/// Before a step: the inbox is taken up, hooks see the state, then the limits: what is
/// forbidden now makes no step.
async fn begin_step(
    cx: &StepContext,
    state: AgentState,
) -> Result<ControlFlow<AgentState, AgentState>, Halt> {
    let begins_again = cx.begins_again.swap(false, Ordering::Relaxed);
    let state = take_before_step(cx, state).await?;
    if state.owed() != Owed::Infer {
        return Ok(Break(state));
    }
    let state = match begins_again {
        true => state,
        false => cx.fire(Trigger::StepStart, state).await,
    };
    Ok(match forbids_step(&cx.services.criteria, &state) {
        Some(signal) if !state.stop_signals().contains(&signal) => {
            Break(state.with_stop_signal(signal))
        }
        Some(_) => Break(state),
        None => Continue(state),
    })
}

/// Lets the driver make the step, and refuses a state that is none of ours.
async fn drive(
    driver: &dyn Driver,
    cx: &StepContext,
    state: AgentState,
) -> Result<AgentState, Halt> {
    let state = state.rooted();
    let (mark, version, durable) = (state.mark(), state.version(), state.committed_version());
    let owed = state.owed();
    let after = match unwind::run(|| driver.use_tools(state, cx)).await {
        Ok(after) => after?,
        Err(panic) => return driver::panicked(cx, panic).await,
    };
    // What no append made durable is not committed, whatever a driver says.
    let durable = cx.writer.kept.durable().unwrap_or(durable);
    if after.extends(&mark) && after.committed_version() <= durable {
        let excused = cx.control.is_raised() || cx.begins_again.load(Ordering::Relaxed);
        let is_idle = after.version() == version && after.owed() == owed && !excused;
        return Ok(if is_idle { driver::idle(after) } else { after });
    }
    // What was handed back is none of ours: the journal says where the session stands.
    let journaled = cx.journaled().await;
    let state = journaled.unwrap_or_else(|| AgentState::new(cx.events.origin().session.clone()));
    Err(Halt::new(state, HaltReason::Lineage))
}

/// The step is over: hooks see results and errors, its output is read, the outcome is decided and
/// recorded. If the run is interrupted meanwhile, the step has not ended, and hooks see its end
/// when it is resumed.
async fn end_step(
    driver: &dyn Driver,
    cx: &StepContext,
    state: AgentState,
) -> ControlFlow<AgentState, AgentState> {
    // Those of its calls that are held still never began.
    cx.account.calls.keep(0);
    let hooks = [Trigger::AfterToolUse, Trigger::Error, Trigger::StepEnd];
    let may_wait = cx.services.output.is_some() || hooks.iter().any(|trigger| cx.listens(*trigger));
    let begun = may_wait.then(|| state.clone());
    let state = show_results(cx, state).await;
    let mut state = output::record(state, cx, driver).await;
    if state.current_error().is_some() {
        state = cx.fire(Trigger::Error, state).await;
    }
    let before = (state.votes().len(), state.stop_signals().len());
    state = cx.fire(Trigger::StepEnd, state).await;
    if (state.votes().len(), state.stop_signals().len()) != before {
        state = cx.services.core.on(Trigger::StepEnd, state, &cx.view).await;
    }
    if let (true, Some(begun)) = (cx.control.interrupt.is_cancelled(), begun) {
        return Break(begun);
    }
    let outcome = state.continuation_outcome().cloned().unwrap_or_else(nothing_decided);
    debug!(
        step = state.current_step().map_or(0, |step| step.number),
        calls = state.calls().count(),
        tokens = state.used().total_tokens(),
        continues = outcome.should_continue(),
        "step ended"
    );
    Continue(cx.services.core.record_step(state, outcome, &cx.view))
}

/// Shows each tool execution to the hooks, in call order, after all ran.
async fn show_results(cx: &StepContext, mut state: AgentState) -> AgentState {
    if !cx.listens(Trigger::AfterToolUse) {
        return state;
    }
    let count = state.current_step().map_or(0, |step| step.calls.len());
    for index in 0..u32::try_from(count).unwrap_or(u32::MAX) {
        let execution = state.call(index).and_then(CallSlot::execution).cloned();
        let Some(execution) = execution else { continue };
        state = state.with_current_tool_execution(Some(CurrentToolExecution { index, execution }));
        state = cx.fire(Trigger::AfterToolUse, state).await.with_current_tool_execution(None);
    }
    state
}

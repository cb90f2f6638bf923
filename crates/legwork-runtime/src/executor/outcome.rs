//! What came of the calls of a turn, of those too that did not run or were cut off.

use std::collections::VecDeque;
use std::sync::Arc;

use legwork_core::event::ToolFinished;
use legwork_core::state::CallStatus;
use legwork_core::tool::{Deferral, FailureKind};
use legwork_core::{AgentState, Event, Micros, ToolOutcome, ToolSpec};

use crate::context::StepContext;
use crate::error::Halt;
use crate::executor::body::Ran;
use crate::executor::job::Job;
use crate::release::Release;
use crate::services::TurnSubagents;

/// Outcomes of calls that took this long are committed as they come.
const SLOW: Micros = Micros(50_000);

/// Records outcomes, in call order; those of `Once` and of slow calls are durable before others go on.
pub(super) async fn record(
    mut state: AgentState,
    cx: &StepContext,
    ended: impl IntoIterator<Item = Ran>,
    release: &mut Release,
) -> Result<AgentState, Halt> {
    let mut urgent = false;
    for ran in ended {
        let (index, took) = (ran.index, ran.took);
        let outcome = match ran.outcome {
            None => continue,
            Some(ToolOutcome::Deferred(deferral)) => {
                if is_child(&state, index, &deferral) {
                    // One that was interrupted waits for nobody: its call stays open for the next run.
                    if !cx.control.interrupt.is_cancelled() {
                        state = state.with_waiting_subagent(index);
                    }
                    continue;
                }
                refused(&ran.spec, &deferral)
            }
            Some(outcome) => state.limit_retries(&ran.spec, outcome.for_journal()),
        };
        urgent |= !ran.spec.effect.is_repeatable() || took >= SLOW;
        let outcome = Arc::new(outcome);
        let (metadata, used) = (ran.metadata, ran.used);
        let finished = ToolFinished { index, outcome, took, metadata, used };
        release.ended(cx, &ran.call, &finished);
        state = state.with(Event::ToolFinished(finished));
    }
    if urgent { cx.commit(state).await } else { Ok(state) }
}

/// Whether a deferral is one to the session that the intent of the call names.
fn is_child(state: &AgentState, index: u32, deferral: &Deferral) -> bool {
    let child = state.call(index).and_then(|slot| slot.child.as_ref());
    matches!(deferral, Deferral::Session(session) if Some(session) == child)
}

/// A result that comes later is never an answer.
fn refused(spec: &ToolSpec, deferral: &Deferral) -> ToolOutcome {
    let message = format!(
        "The tool `{}` deferred its result ({deferral:?}), which is not supported: it must wait \
         for the result and return it.",
        spec.name
    );
    ToolOutcome::Failed(FailureKind::Hard, message)
}

/// Calls that were cut off while they ran, by the run's control or because its time was
/// up. An interrupted run leaves those that may be run again to the next one.
pub(super) async fn interrupt(mut state: AgentState, cx: &StepContext) -> Result<AgentState, Halt> {
    let stopped = !state.stop_signals().is_empty();
    if !stopped && !cx.control.is_raised() {
        return Ok(state);
    }
    for (index, slot) in state.calls_unanswered() {
        let CallStatus::Started(effect) = slot.status else { continue };
        let ends = stopped || cx.control.cancel.is_cancelled();
        if (effect.is_repeatable() && !ends) || state.is_pending(index as usize) {
            continue;
        }
        state = match slot.child {
            Some(_) => end_call(state, cx, index, ToolOutcome::Interrupted).await?,
            None => cx.answer(state, index, &slot.call, ToolOutcome::Interrupted),
        };
    }
    Ok(state)
}

/// Calls that will not start any more, for the execution was stopped or cancelled. Those
/// that began under another run may have happened.
pub(super) async fn skip_rest(
    mut state: AgentState,
    cx: &StepContext,
    turn: Option<&dyn TurnSubagents>,
    jobs: VecDeque<Job>,
) -> Result<AgentState, Halt> {
    let why = match state.stop_signals().first() {
        _ if cx.control.cancel.is_cancelled() => "the execution was cancelled".to_owned(),
        Some(signal) => format!("the execution was stopped ({})", signal.reason),
        None => return Ok(state),
    };
    if let Some(turn) = turn {
        turn.release(jobs.iter().filter(|job| job.is_fresh()).count());
    }
    for job in jobs {
        if state.call(job.index).is_none_or(|slot| slot.execution().is_some()) {
            continue;
        }
        state = match job.is_fresh() {
            true => cx.answer(state, job.index, &job.call, ToolOutcome::Skipped(why.clone())),
            false => end_call(state, cx, job.index, ToolOutcome::Interrupted).await?,
        };
    }
    Ok(state)
}

/// Answers a call that does not go on; one that began is interrupted, and may or may not have
/// happened. Its subagent, if it has one, which no run continues
/// with, is ended as cancelled, and what it used is charged, as its journal says.
pub(crate) async fn end_call(
    state: AgentState,
    cx: &StepContext,
    index: u32,
    outcome: ToolOutcome,
) -> Result<AgentState, Halt> {
    let Some(slot) = state.call(index) else { return Ok(state) };
    let mut finished = ToolFinished::without_running(index, outcome);
    cx.emit_finished(&slot.call, &finished);
    if let Some(child) = &slot.child {
        let link = state.link_to(&slot.call.id);
        finished.used = match cx.services.subagents.cancel(cx.caller(), child, &link).await {
            Ok(used) => used,
            Err(error) => return Err(Halt::new(state, error)),
        };
    }
    Ok(state.with(Event::ToolFinished(finished)))
}

/// Answers the calls of a cancelled execution whose tools are not known. An interrupted one
/// leaves them to the next run.
pub(super) async fn give_up(mut state: AgentState, cx: &StepContext) -> Result<AgentState, Halt> {
    if !cx.control.cancel.is_cancelled() {
        return Ok(state);
    }
    for (index, slot) in state.calls_unanswered() {
        state = match slot.status {
            CallStatus::Started(_) | CallStatus::Ready => {
                end_call(state, cx, index, ToolOutcome::Interrupted).await?
            }
            _ => {
                let why = "the execution was cancelled".to_owned();
                cx.answer(state, index, &slot.call, ToolOutcome::Skipped(why))
            }
        };
    }
    Ok(state)
}

/// Answers all calls that are open as failed, for this reason.
pub(super) async fn fail_all(
    mut state: AgentState,
    cx: &StepContext,
    message: &str,
) -> Result<AgentState, Halt> {
    for (index, _) in state.calls_unanswered() {
        state = end_call(state, cx, index, ToolOutcome::failed(message)).await?;
    }
    Ok(state)
}

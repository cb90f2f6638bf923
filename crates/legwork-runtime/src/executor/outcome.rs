//! What came of the calls of a turn, of those too that did not run or were cut off.

use std::collections::VecDeque;
use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::event::ToolFinished;
use legwork_core::state::{CallStatus, Waits};
use legwork_core::tool::{Cut, Deferral};
use legwork_core::{AgentState, Event, Micros, StopReason, StopSignal, ToolOutcome};

use crate::context::StepContext;
use crate::error::Halt;
use crate::executor::body::Ran;
use crate::executor::job::Job;
use crate::judge::{refused, why_stopped};
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
    let (mut urgent, mut waiting, mut charged) = (false, Vec::new(), Amounts::default());
    for ran in ended {
        let (index, took, mut cut) = (ran.index, ran.took, None);
        let outcome = match ran.outcome {
            None => continue,
            Some(ToolOutcome::Deferred(deferral @ Deferral::Session(_))) => {
                if is_child(&state, index, &deferral) {
                    // One that was interrupted waits for nobody: its call stays open for the next run.
                    if !cx.control.interrupt.is_cancelled() {
                        state = state.with_waiting_subagent(index);
                    }
                    continue;
                }
                refused(&ran.spec, &deferral)
            }
            Some(outcome) if outcome.is_answer() => {
                let (mut outcome, limit) = (outcome.for_journal(), cx.services.calls.results);
                if limit.may_exceed(&ran.spec, &outcome) {
                    (outcome, cut) = limit.cut(&ran.spec, outcome);
                }
                state.limit_retries(&ran.spec, outcome)
            }
            Some(outcome) => {
                urgent = true;
                let waits = Waits::of(outcome).ok();
                waiting.extend(waits.and_then(|waits| state.as_waiting(index, waits)));
                charged = charged.plus(&ran.used);
                continue;
            }
        };
        urgent |= !ran.spec.effect.is_repeatable() || took >= SLOW;
        let outcome = Arc::new(outcome);
        let (mut metadata, used) = (ran.metadata, ran.used);
        if let Some(cut) = cut {
            metadata.insert(Cut::METADATA, cut.to_value());
        }
        let finished = ToolFinished { index, outcome, took, metadata, used };
        release.ended(cx, &ran.call, &finished);
        let stops = match &*finished.outcome {
            ToolOutcome::Stopped(reason) => Some(reason.clone()),
            _ => None,
        };
        state = state.with(Event::ToolFinished(finished));
        if let Some(reason) = stops {
            let signal = StopSignal::new(StopReason::StopRequested, &*ran.call.name, reason);
            state = state.with_stop_signal(signal);
        }
    }
    if !waiting.is_empty() {
        state = state.with_pending_charged(waiting, charged);
    }
    if urgent { cx.commit(state).await } else { Ok(state) }
}

/// Whether a deferral is one to the session that the intent of the call names.
fn is_child(state: &AgentState, index: u32, deferral: &Deferral) -> bool {
    let child = state.call(index).and_then(|slot| slot.child.as_ref());
    matches!(deferral, Deferral::Session(session) if Some(session) == child)
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
        state = end_call(state, cx, index, ToolOutcome::Interrupted).await?;
    }
    Ok(state)
}

/// Why calls that have not begun do not run now; none if they may. Who says something while they
/// wait, is heard first.
pub(crate) fn why_left(state: &AgentState, cx: &StepContext) -> Option<String> {
    let steered = || state.context().steered.then(|| STEERED.to_owned());
    why_skipped(state, cx).or_else(steered)
}

/// Why calls do not run that had not begun when somebody steered the execution.
pub(super) const STEERED: &str = "the user said something, which comes first";

/// Why calls that have not begun never will; none if they may.
pub(super) fn why_skipped(state: &AgentState, cx: &StepContext) -> Option<String> {
    if cx.control.cancel.is_cancelled() {
        return Some("the execution was cancelled".to_owned());
    }
    why_stopped(state)
}

/// Calls that will not start any more, for the execution was stopped or cancelled. Those
/// that began under another run may have happened.
pub(super) async fn skip_rest(
    state: AgentState,
    cx: &StepContext,
    turn: Option<&dyn TurnSubagents>,
    jobs: VecDeque<Job>,
) -> Result<AgentState, Halt> {
    match why_skipped(&state, cx) {
        Some(why) => skip(state, cx, turn, jobs, &why).await,
        None => Ok(state),
    }
}

/// Answers calls that do not start, for this reason.
pub(super) async fn skip(
    mut state: AgentState,
    cx: &StepContext,
    turn: Option<&dyn TurnSubagents>,
    jobs: VecDeque<Job>,
    why: &str,
) -> Result<AgentState, Halt> {
    if let Some(turn) = turn {
        turn.release(jobs.iter().filter(|job| job.is_fresh()).count());
    }
    for job in jobs {
        if state.call(job.index).is_none_or(|slot| slot.execution().is_some()) {
            continue;
        }
        state = match job.is_fresh() {
            true => cx.answer(state, job.index, ToolOutcome::Skipped(why.to_owned())),
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
        let outcome = match slot.began {
            true => ToolOutcome::Interrupted,
            false => ToolOutcome::Skipped("the execution was cancelled".to_owned()),
        };
        state = end_call(state, cx, index, outcome).await?;
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

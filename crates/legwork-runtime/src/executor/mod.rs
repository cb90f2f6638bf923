//! Runs the calls of a turn: beside each other, bounded, answered in call order.

mod body;
mod ending;
mod holding;
mod intent;
mod job;
mod outcome;
mod running;

use std::collections::{BTreeSet, VecDeque};
use std::pin::pin;

use body::call;
use ending::Ending;
use intent::begin;
use job::{Collected, Job, collect};
use legwork_core::state::Pending;
use legwork_core::tool::RunsIn;
use legwork_core::{AgentState, ToolOutcome};

use crate::context::StepContext;
use crate::doubt::settle_doubt;
use crate::error::Halt;
use crate::inbox::take_inbox;
use crate::judge::{self, judge};
use crate::release::Release;
use crate::services::{CallPolicy, TurnSubagents};
use crate::watch::{Watched, meanwhile};

use outcome::{STEERED, fail_all, give_up, interrupt, record, skip, skip_rest, why_skipped};
pub(crate) use outcome::{end_call, why_left};
use running::Running;

/// Judges the calls of a turn that were not judged yet, and runs what may run, one batch
/// between barriers after the other.
///
/// A driver that replaces the whole step calls it with the state that owes the calls; no
/// call reaches its tool unjudged.
///
/// # Errors
/// When an intent or outcome could not be journaled.
pub async fn run(state: AgentState, cx: &StepContext) -> Result<AgentState, Halt> {
    let state = settle_doubt(state, cx);
    // A driver that replaces the step may come here at once, or with calls that it judged.
    let state = if judge::is_owed(&state, cx) { judge(state, cx).await? } else { state };
    if judge::waits_for_doubt(&state) {
        return Ok(state);
    }
    let shown = match cx.unless_raised(cx.toolbox().shown(&state)).await {
        Some(Ok(shown)) => shown,
        Some(Err(message)) => return fail_all(state, cx, &message).await,
        None => return give_up(state, cx).await,
    };
    let (mut state, all) = collect(state, cx, &shown).await?;
    let Collected { mut jobs, mut held, waiting, mut more } = all;
    let fresh = jobs.iter().filter(|job| job.is_fresh()).count();
    if jobs.iter().any(|job| job.answered) || cx.account.calls.held() < fresh {
        state = check_again(state, cx, fresh);
    }
    if !more {
        cx.account.calls.keep(fresh);
    }
    let spawns = jobs.iter().any(|job| job.spec.runs_in == RunsIn::OwnSession);
    let turn = match spawns {
        true => match cx.services.subagents.begin_turn(&state, cx.caller(), fresh).await {
            Ok(turn) => Some(turn),
            Err(error) => return Err(Halt::new(state, error)),
        },
        false => None,
    };
    let turn = turn.as_deref();
    // What those of before used is known before any of them goes on.
    for job in jobs.iter_mut().filter(|job| job.begun) {
        job.grant_from(turn, &state, cx);
    }
    let mut ending = Ending::of(cx.services.calls.end_strategy, &state);
    let mut jobs = ending.ordered(jobs);
    let waited = state.pending().to_vec();
    loop {
        if ending.leaves_out(&state) {
            state = leave(state, cx, turn, &ending, &mut jobs).await?;
        }
        // What waits now may hold back those that have not begun: they are collected again.
        if *state.pending() != *waited && !judge::waits_for_doubt(&state) {
            if let Some(turn) = turn {
                let left = jobs.iter().filter(|job| job.is_fresh()).count();
                cx.account.calls.take_over(left);
                turn.release(left);
            }
            jobs.retain(|job| job.begun);
            more = true;
        }
        if jobs.is_empty() || cx.control.is_raised() || why_skipped(&state, cx).is_some() {
            break;
        }
        let batch = next_batch(cx.services.calls, &ending, &mut jobs);
        state = match batch.len() {
            1 => run_one(state, cx, turn, &mut ending, batch).await?,
            _ => run_batch(state, cx, turn, &mut ending, batch).await?,
        };
        state = look(state, cx).await?;
    }
    if !jobs.is_empty() {
        state = skip_rest(state, cx, turn, jobs).await?;
    }
    if more || (held.is_empty() && waiting.is_empty() && state.pending().is_empty()) {
        return Ok(state);
    }
    // Those that are held back were not charged to the turn.
    let state = leave(state, cx, None, &ending, &mut held).await?;
    let state = skip_rest(state, cx, None, held).await?;
    Ok(wait(state, cx, waiting))
}

/// Checks the limits for calls that were approved, or held back: time has passed since they were
/// judged, and others may have used what was left.
fn check_again(state: AgentState, cx: &StepContext, fresh: usize) -> AgentState {
    let here = state.ledger().forbids_calls(fresh as u64);
    match here.map_or_else(|| cx.account.calls.hold(fresh), Err) {
        Ok(()) => cx.stop_in_time(state),
        Err(limit) => state.with_stop_signal(judge::passed(limit)),
    }
}

/// Takes up what was said to the session meanwhile, if the store told of it when something was
/// committed.
async fn look(state: AgentState, cx: &StepContext) -> Result<AgentState, Halt> {
    match cx.writer.kept.knows_items_for(&state) {
        true => take_inbox(cx, state).await,
        false => Ok(state),
    }
}

/// Answers the calls that do not run any more: those that have not begun if the user said
/// something, which comes first, and those that the end strategy leaves out.
async fn leave(
    state: AgentState,
    cx: &StepContext,
    turn: Option<&dyn TurnSubagents>,
    ending: &Ending,
    jobs: &mut VecDeque<Job>,
) -> Result<AgentState, Halt> {
    if state.context().steered {
        let (fresh, begun) = std::mem::take(jobs).into_iter().partition(Job::is_fresh);
        *jobs = begun;
        return skip(state, cx, turn, fresh, STEERED).await;
    }
    let dropped = ending.dropped(jobs);
    skip(state, cx, turn, dropped, "the output was given").await
}

/// The rest of the turn has run: calls wait for their answers. Those of an execution that was
/// stopped or cancelled do not run, and those of one that was interrupted are judged again.
fn wait(mut state: AgentState, cx: &StepContext, waiting: Vec<Pending>) -> AgentState {
    if let Some(why) = why_left(&state, cx) {
        for pending in waiting {
            state = cx.answer(state, pending.index, ToolOutcome::Skipped(why.clone()));
        }
        return state;
    }
    if cx.control.is_raised() {
        return state;
    }
    state.with_turn_passed(waiting)
}

/// Answers the calls whose intents were just committed and which have not begun, if the user said
/// something until then.
async fn unless_steered(
    state: AgentState,
    cx: &StepContext,
    starting: &mut Vec<Job>,
) -> Result<AgentState, Halt> {
    let mut state = look(state, cx).await?;
    if state.context().steered {
        for job in starting.extract_if(.., |job| job.is_fresh()) {
            state = end_call(state, cx, job.index, ToolOutcome::Skipped(STEERED.into())).await?;
        }
    }
    Ok(state)
}

/// Takes calls up to the next barrier: a sequential tool runs alone, and two calls on
/// one resource are never in one batch.
fn next_batch(policy: CallPolicy, ending: &Ending, jobs: &mut VecDeque<Job>) -> VecDeque<Job> {
    if jobs.len() == 1 {
        return std::mem::take(jobs);
    }
    let mut batch: VecDeque<Job> = VecDeque::new();
    let mut taken = BTreeSet::new();
    while let Some(job) = jobs.front() {
        let alone = job.is_barrier(policy);
        let resource = if alone { None } else { job.resource() };
        let clash = resource.as_ref().is_some_and(|resource| taken.contains(resource));
        if !batch.is_empty() && (alone || clash || ending.waits(job, &batch)) {
            break;
        }
        batch.extend(jobs.pop_front());
        taken.extend(resource);
        if alone {
            break;
        }
    }
    batch
}

async fn run_batch(
    mut state: AgentState,
    cx: &StepContext,
    turn: Option<&dyn TurnSubagents>,
    ending: &mut Ending,
    mut waiting: VecDeque<Job>,
) -> Result<AgentState, Halt> {
    let mut release = Release::new(
        cx.services.calls.mode,
        waiting.iter().map(|job| (job.index, &job.call, job.spec.mode)),
    );
    let mut running = Running::default();
    loop {
        state = meanwhile(&mut running, look(state, cx)).await?;
        if ending.leaves_out(&state) {
            state = meanwhile(&mut running, leave(state, cx, turn, ending, &mut waiting)).await?;
        }
        if !cx.control.is_raised() && why_skipped(&state, cx).is_none() {
            let limit = cx.services.calls.limit.max(1);
            let room = limit.saturating_sub(running.calls.len()).min(waiting.len());
            let mut starting: Vec<Job> = waiting.drain(..room).collect();
            state = meanwhile(&mut running, begin(state, cx, turn, &mut starting)).await?;
            state = meanwhile(&mut running, unless_steered(state, cx, &mut starting)).await?;
            running.calls.extend(starting.into_iter().map(|job| call(job, &state, cx)));
        }
        if running.is_empty() {
            break;
        }
        let (waited, watched) = {
            let ended = pin!(running.ended());
            cx.watch(state, ended).await?
        };
        let Watched::Done(ended) = watched else {
            // What ended already did end; the rest is cut off.
            let Running { ended, .. } = std::mem::take(&mut running);
            state = cx.stop_in_time(record(waited, cx, ended, &mut release).await?);
            break;
        };
        let ran: Vec<_> = ended.iter().map(|ran| ran.index).collect();
        state = meanwhile(&mut running, record(waited, cx, ended, &mut release)).await?;
        ending.note(&state, ran.into_iter());
    }
    let state = interrupt(state, cx).await?;
    release.rest(cx);
    skip_rest(state, cx, turn, waiting).await
}

/// A batch of one, without what it takes to run several.
async fn run_one(
    state: AgentState,
    cx: &StepContext,
    turn: Option<&dyn TurnSubagents>,
    ending: &mut Ending,
    mut batch: VecDeque<Job>,
) -> Result<AgentState, Halt> {
    let state = begin(state, cx, turn, batch.make_contiguous()).await?;
    let mut starting = Vec::from(batch);
    let state = unless_steered(state, cx, &mut starting).await?;
    let Some(job) = starting.pop() else { return Ok(state) };
    let index = job.index;
    let running = call(job, &state, cx);
    let state = match cx.watch(state, running).await? {
        (state, Watched::Done(ran)) => record(state, cx, [ran], &mut Release::default()).await?,
        (state, Watched::TimeUp) => cx.stop_in_time(state),
    };
    ending.note(&state, [index].into_iter());
    interrupt(state, cx).await
}

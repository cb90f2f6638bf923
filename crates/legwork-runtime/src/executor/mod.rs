//! Runs the calls of a turn: beside each other, bounded, answered in call order.

mod body;
mod intent;
mod job;
mod outcome;
mod running;

use std::collections::{BTreeSet, VecDeque};
use std::pin::pin;

use body::call;
use intent::begin;
use job::{Job, collect};
use legwork_core::AgentState;
use legwork_core::tool::{ExecutionMode, RunsIn};

use crate::context::StepContext;
use crate::doubt::settle_doubt;
use crate::error::Halt;
use crate::judge::{self, judge};
use crate::release::Release;
use crate::services::{Concurrency, TurnSubagents};
use crate::watch::{Watched, meanwhile};

pub(crate) use outcome::end_call;
use outcome::{fail_all, give_up, interrupt, record, skip_rest};
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
    if !state.pending().is_empty() {
        return Ok(state);
    }
    let shown = match cx.unless_raised(cx.toolbox().shown(&state)).await {
        Some(Ok(shown)) => shown,
        Some(Err(message)) => return fail_all(state, cx, &message).await,
        None => return give_up(state, cx).await,
    };
    let (mut state, mut jobs) = collect(state, cx, &shown).await?;
    let fresh = jobs.iter().filter(|job| job.is_fresh()).count();
    cx.held_calls.keep(fresh);
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
    while !jobs.is_empty() && !cx.control.is_raised() && state.stop_signals().is_empty() {
        let batch = next_batch(cx.services.concurrency, &mut jobs);
        state = match batch.len() {
            1 => run_one(state, cx, turn, batch).await?,
            _ => run_batch(state, cx, turn, batch).await?,
        };
    }
    skip_rest(state, cx, turn, jobs).await
}

/// Takes calls up to the next barrier: a sequential tool runs alone, and two calls on
/// one resource are never in one batch.
fn next_batch(concurrency: Concurrency, jobs: &mut VecDeque<Job>) -> VecDeque<Job> {
    if jobs.len() == 1 {
        return std::mem::take(jobs);
    }
    let mut batch: VecDeque<Job> = VecDeque::new();
    let mut taken = BTreeSet::new();
    while let Some(job) = jobs.front() {
        let alone = concurrency.mode == ExecutionMode::Sequential
            || job.spec.mode == ExecutionMode::Sequential;
        let resource = if alone { None } else { job.resource() };
        let clash = resource.as_ref().is_some_and(|resource| taken.contains(resource));
        if !batch.is_empty() && (alone || clash) {
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
    mut waiting: VecDeque<Job>,
) -> Result<AgentState, Halt> {
    let mut release = Release::new(
        cx.services.concurrency.mode,
        waiting.iter().map(|job| (job.index, &job.call, job.spec.mode)),
    );
    let mut running = Running::default();
    loop {
        if !cx.control.is_raised() {
            let limit = cx.services.concurrency.limit.max(1);
            let room = limit.saturating_sub(running.calls.len()).min(waiting.len());
            let mut starting: Vec<Job> = waiting.drain(..room).collect();
            state = meanwhile(&mut running, begin(state, cx, turn, &mut starting)).await?;
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
        state = meanwhile(&mut running, record(waited, cx, ended, &mut release)).await?;
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
    mut batch: VecDeque<Job>,
) -> Result<AgentState, Halt> {
    let state = begin(state, cx, turn, batch.make_contiguous()).await?;
    let Some(job) = batch.pop_front() else { return Ok(state) };
    let running = call(job, &state, cx);
    let state = match cx.watch(state, running).await? {
        (state, Watched::Done(ran)) => record(state, cx, [ran], &mut Release::default()).await?,
        (state, Watched::TimeUp) => cx.stop_in_time(state),
    };
    interrupt(state, cx).await
}

//! Runs the calls of a turn: beside each other, bounded, answered in call order.

use std::collections::VecDeque;
use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, FutureExt as _, select};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use legwork_core::error::panic_message;
use legwork_core::event::{ToolFinished, ToolStarted};
use legwork_core::state::CallStatus;
use legwork_core::tool::{Deferral, ExecutionMode, FailureKind, Place};
use legwork_core::{AgentState, EffectKey, Event, Micros, Seq, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::observer::LiveEvent;
use legwork_port::{BoxFuture, ToolContext, Toolset};

use crate::account::Sums;
use crate::context::StepContext;
use crate::doubt::{begun, settle_doubt};
use crate::error::Halt;
use crate::release::Release;
use crate::retries;
use crate::subagent::{self, Family, Lease};
use crate::toolbox::Shown;

/// Outcomes of calls that took this long are committed as they come.
const SLOW: Micros = Micros(50_000);

/// Runs the calls of a turn.
#[derive(Debug, Clone, Copy)]
pub struct Executor {
    /// How many calls run beside each other at most.
    pub bound: usize,
    /// How calls run beside each other where their tool does not say `Sequential`.
    pub mode: ExecutionMode,
}

impl Default for Executor {
    fn default() -> Self {
        Self { bound: 16, mode: ExecutionMode::ParallelOrdered }
    }
}

/// A call to be run, with all that it takes.
struct Job {
    index: u32,
    call: Arc<ToolCall>,
    spec: Arc<ToolSpec>,
    owner: Arc<dyn Toolset>,
    resource: Option<String>,
    begun: bool,
    changed: Option<Arc<str>>,
    /// What its subagent may use, if it runs one.
    lease: Option<Lease>,
}

impl Job {
    /// Takes what its subagent may use, if it runs one.
    fn lease_from(&mut self, family: Option<&Family>, state: &AgentState) {
        if self.spec.place == Place::Child {
            self.lease = family.and_then(|family| family.lease(state, self.index, &self.call));
        }
    }
}

/// A call that was run.
struct Ran {
    index: u32,
    /// None if it was cut off while it ran.
    outcome: Option<ToolOutcome>,
    took: Micros,
    context: ToolContext,
    spec: Arc<ToolSpec>,
}

impl Executor {
    /// Runs what is to be run, one batch between barriers after the other.
    ///
    /// # Errors
    /// When an intent or outcome could not be journaled.
    pub async fn run(&self, state: AgentState, cx: &StepContext) -> Result<AgentState, Halt> {
        let state = settle_doubt(state, cx);
        if !state.pending().is_empty() {
            return Ok(state);
        }
        let shown = match cx.toolbox().shown(&state).await {
            Ok(shown) => shown,
            Err(message) => return Ok(fail_all(state, cx, &message)),
        };
        let (mut state, mut jobs) = collect(state, cx, &shown);
        let fresh = jobs.iter().filter(|job| !job.begun).count();
        let family = Family::of(&state, cx, jobs.iter().map(|job| &*job.spec), fresh).await;
        let family = match family {
            Ok(family) => family,
            Err(error) => return Err(Halt::new(state, error)),
        };
        // What those of before used is known before any of them goes on.
        for job in jobs.iter_mut().filter(|job| job.begun) {
            job.lease_from(family.as_ref(), &state);
        }
        while !jobs.is_empty() && !cx.control.is_raised() && state.stop_signals().is_empty() {
            let batch = self.next_batch(&mut jobs);
            state = match batch.len() {
                1 => run_one(state, cx, family.as_ref(), batch).await?,
                _ => self.run_batch(state, cx, family.as_ref(), batch).await?,
            };
        }
        skip_rest(state, cx, family.as_ref(), jobs).await
    }

    /// Takes calls up to the next barrier: a sequential tool runs alone, and two calls on
    /// one resource are never in one batch.
    fn next_batch(&self, jobs: &mut VecDeque<Job>) -> VecDeque<Job> {
        let mut batch: VecDeque<Job> = VecDeque::new();
        while let Some(job) = jobs.front() {
            let alone = self.mode == ExecutionMode::Sequential
                || job.spec.mode == ExecutionMode::Sequential;
            let clash =
                job.resource.is_some() && batch.iter().any(|other| other.resource == job.resource);
            if !batch.is_empty() && (alone || clash) {
                break;
            }
            batch.extend(jobs.pop_front());
            if alone {
                break;
            }
        }
        batch
    }

    async fn run_batch(
        &self,
        mut state: AgentState,
        cx: &StepContext,
        family: Option<&Family>,
        mut waiting: VecDeque<Job>,
    ) -> Result<AgentState, Halt> {
        let mut release = Release::new(
            self.mode,
            waiting.iter().map(|job| (job.index, &job.call, job.spec.mode)),
        );
        let mut running = FuturesUnordered::new();
        loop {
            if !cx.control.is_raised() {
                let room = self.bound.max(1).saturating_sub(running.len()).min(waiting.len());
                let mut starting: Vec<Job> = waiting.drain(..room).collect();
                state = begin(state, cx, family, &mut starting).await?;
                running.extend(starting.into_iter().map(|job| call(job, &state, cx)));
            }
            if running.is_empty() {
                break;
            }
            let mut ended = Vec::from_iter(running.next().await);
            // What ended at the same time is committed together.
            while let Some(Some(ran)) = running.next().now_or_never() {
                ended.push(ran);
            }
            state = record(cx.tick(state), cx, ended, &mut release).await?;
        }
        let state = interrupt(state, cx);
        release.rest(&state, cx);
        skip_rest(state, cx, family, waiting).await
    }
}

/// A batch of one, without what it takes to run several.
async fn run_one(
    state: AgentState,
    cx: &StepContext,
    family: Option<&Family>,
    mut batch: VecDeque<Job>,
) -> Result<AgentState, Halt> {
    let mut release = Release::new(
        ExecutionMode::Sequential,
        batch.iter().map(|job| (job.index, &job.call, job.spec.mode)),
    );
    let state = begin(state, cx, family, batch.make_contiguous()).await?;
    let Some(job) = batch.pop_front() else { return Ok(state) };
    let ended = vec![call(job, &state, cx).await];
    let state = record(cx.tick(state), cx, ended, &mut release).await?;
    Ok(interrupt(state, cx))
}

/// The calls that may run now, in call order.
fn collect(mut state: AgentState, cx: &StepContext, shown: &Shown) -> (AgentState, VecDeque<Job>) {
    let slots = state.current_step().map(|step| step.calls.clone()).unwrap_or_default();
    let mut jobs = VecDeque::new();
    for (at, slot) in slots.into_iter().enumerate() {
        let begun = match slot.status {
            CallStatus::Done(_) => continue,
            CallStatus::Started(effect) if effect.is_repeatable() => true,
            CallStatus::Started(_) => continue,
            CallStatus::Open | CallStatus::Ready => false,
        };
        let index = u32::try_from(at).unwrap_or(u32::MAX);
        let changed = state.judged(at).and_then(|judged| judged.arguments.clone());
        let known = state.context().tools_shown.as_ref();
        let found = shown.specs.find(&slot.call.name).filter(|(place, _)| {
            known.and_then(|known| known.tools.get(&slot.call.name)) == shown.digest_of(*place)
        });
        let Some((place, spec)) = found else {
            let message = format!("The tool `{}` is not there any more as shown.", slot.call.name);
            let outcome = ToolOutcome::Failed(FailureKind::ToolChanged, message);
            state = cx.answer(state, index, &slot.call, outcome);
            continue;
        };
        let Some(owner) = shown.owner(place) else { continue };
        let arguments = changed.as_ref().unwrap_or_else(|| slot.arguments());
        let call = match *arguments == slot.call.arguments {
            true => Arc::clone(&slot.call),
            false => {
                Arc::new(ToolCall { arguments: Arc::clone(arguments), ..(*slot.call).clone() })
            }
        };
        let resource = spec.resource_of(&call);
        let (spec, owner) = (Arc::clone(spec), Arc::clone(owner));
        let lease = None;
        jobs.push_back(Job { index, call, spec, owner, resource, begun, changed, lease });
    }
    (state, jobs)
}

/// Records the intents; those of `Once` calls are durable before anything starts.
async fn begin(
    mut state: AgentState,
    cx: &StepContext,
    family: Option<&Family>,
    jobs: &mut [Job],
) -> Result<AgentState, Halt> {
    let mut once = false;
    for job in jobs.iter_mut().filter(|job| !job.begun) {
        job.lease_from(family, &state);
        let (index, effect, arguments) = (job.index, job.spec.effect, job.changed.clone());
        once |= !effect.is_repeatable();
        let (child, reserved) = job.lease.as_ref().map_or_else(Default::default, Lease::intent);
        let started = ToolStarted { index, effect, arguments, child, reserved };
        state = state.with(Event::ToolStarted(started));
        // With a family, all calls of the turn are in its account already.
        if let (None, Some(share)) = (family, &cx.share) {
            share.charge(Sums::calls(1));
        }
    }
    let response = state.current_step().and_then(|step| step.response_entry);
    let unsaved = response.is_some_and(|entry| entry > state.committed_version());
    if once || unsaved {
        state = cx.commit(state).await?;
    }
    let step = state.current_step().map_or(0, |step| step.number);
    for job in jobs {
        cx.live(&LiveEvent::ToolStarted { step, index: job.index, call: &job.call });
    }
    Ok(cx.tick(state))
}

/// One running call; dropping it ends the tool.
fn call(job: Job, state: &AgentState, cx: &StepContext) -> BoxFuture<'static, Ran> {
    let (clock, control) = (Arc::clone(&cx.agent.clock), cx.control.clone());
    let Job { index, call, spec, owner, lease, .. } = job;
    // A call is keyed by its response, which is recorded: the key is there.
    let key = state.effect_key(index).unwrap_or_else(|| EffectKey {
        session: state.session().clone(),
        entry: Seq::ZERO,
        index,
    });
    let (cancel, observer) = (control.cancel.clone(), Arc::clone(&cx.observer));
    let (origin, deps) = (Arc::clone(&cx.origin), cx.agent.deps.clone());
    let mut context = ToolContext::at(origin, state.clone(), key, cancel, observer, deps);
    let spawns = lease.is_some();
    if let Some(lease) = lease {
        context = context.with_runtime(lease.spawning(cx));
    }
    Box::pin(async move {
        let start = clock.now().mono;
        // The call itself is made inside: it may panic before there is a future.
        let body = AssertUnwindSafe(async { owner.call(&call, &context).await }).catch_unwind();
        // A subagent hears of it by itself, and ends in good order.
        let raised = async { if spawns { pending().await } else { control.raised().await } };
        let limit = match spec.timeout {
            Some(limit) => clock.sleep(Duration::from(limit)),
            None => Box::pin(pending()),
        };
        let raised = pin!(raised);
        let cut = select(raised, limit);
        let outcome = match select(pin!(body), cut).await {
            Either::Left((ended, _)) => Some(ended.unwrap_or_else(|panic| panicked(&*panic))),
            Either::Right((Either::Left(_), _)) => None,
            Either::Right((Either::Right(_), _)) => spec.timeout.map(timed_out),
        };
        let took = clock.now().mono.since(start);
        Ran { index, outcome, took, context, spec }
    })
}

fn timed_out(limit: Micros) -> ToolOutcome {
    let message = format!("It ran longer than its limit of {limit} and was ended.");
    ToolOutcome::Failed(FailureKind::Timeout, message)
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> ToolOutcome {
    let message = format!("The tool panicked: {}", panic_message(panic));
    ToolOutcome::Failed(FailureKind::Panicked, message)
}

/// Records outcomes; those of `Once` and of slow calls are durable before others go on.
async fn record(
    mut state: AgentState,
    cx: &StepContext,
    mut ended: Vec<Ran>,
    release: &mut Release,
) -> Result<AgentState, Halt> {
    ended.sort_by_key(|ran| ran.index);
    let mut urgent = false;
    for ran in ended {
        let (index, took) = (ran.index, ran.took);
        let outcome = match ran.outcome {
            None => continue,
            Some(ToolOutcome::Deferred(Deferral::Session(_))) => {
                state = subagent::wait(state, cx, index);
                continue;
            }
            Some(outcome) => retries::limit(&state, &ran.spec, outcome.for_journal()),
        };
        urgent |= !ran.spec.effect.is_repeatable() || took >= SLOW;
        let outcome = Arc::new(outcome);
        let (metadata, used) = (ran.context.take_metadata(), ran.context.take_used());
        release.ended(&state, cx, index, &outcome, &metadata);
        let finished = ToolFinished { index, outcome, took, metadata, used };
        state = state.with(Event::ToolFinished(finished));
    }
    if urgent { cx.commit(state).await } else { Ok(state) }
}

/// Calls that were cut off while they ran. An interrupted run leaves those that may be
/// run again to the next one.
fn interrupt(mut state: AgentState, cx: &StepContext) -> AgentState {
    if !cx.control.is_raised() {
        return state;
    }
    for (index, slot) in begun(&state) {
        let CallStatus::Started(effect) = slot.status else { continue };
        let left = effect.is_repeatable() && !cx.control.cancel.is_cancelled();
        if !left && !state.is_pending(index as usize) {
            state = cx.answer(state, index, &slot.call, ToolOutcome::Interrupted);
        }
    }
    state
}

/// Calls that will not start any more, for the execution was stopped or cancelled. Those
/// that began under another run may have happened.
async fn skip_rest(
    mut state: AgentState,
    cx: &StepContext,
    family: Option<&Family>,
    jobs: VecDeque<Job>,
) -> Result<AgentState, Halt> {
    let why = match state.stop_signals().first() {
        _ if cx.control.cancel.is_cancelled() => "the execution was cancelled".to_owned(),
        Some(signal) => format!("the execution was stopped ({})", signal.reason),
        None => return Ok(state),
    };
    if let Some(family) = family {
        family.release(jobs.iter().filter(|job| !job.begun).count());
    }
    for job in jobs {
        let slot = state.current_step().and_then(|step| step.calls.get(job.index as usize));
        state = match slot {
            Some(slot) if slot.execution().is_none() && job.begun => {
                subagent::interrupted(state, cx, job.index).await?
            }
            Some(slot) if slot.execution().is_none() => {
                cx.answer(state, job.index, &job.call, ToolOutcome::Skipped(why.clone()))
            }
            _ => state,
        };
    }
    Ok(state)
}

fn fail_all(mut state: AgentState, cx: &StepContext, message: &str) -> AgentState {
    let slots = state.current_step().map(|step| step.calls.clone()).unwrap_or_default();
    for (index, slot) in (0u32..).zip(&slots) {
        if slot.execution().is_none() && !state.is_pending(index as usize) {
            state = cx.answer(state, index, &slot.call, ToolOutcome::failed(message));
        }
    }
    state
}

//! Runs the calls of a turn: beside each other, bounded, answered in call order.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, FutureExt as _, select};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use legwork_core::event::{ToolFinished, ToolStarted};
use legwork_core::state::CallStatus;
use legwork_core::tool::{ExecutionMode, FailureKind, Metadata};
use legwork_core::{AgentState, Event, Micros, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::observer::LiveEvent;
use legwork_port::{BoxFuture, ToolContext, Toolset};

use crate::context::StepContext;
use crate::doubt::{begun, settle_doubt};
use crate::error::Halt;
use crate::release::Release;
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
}

/// A call that was run.
struct Ran {
    index: u32,
    outcome: ToolOutcome,
    took: Micros,
    metadata: Metadata,
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
        while !jobs.is_empty() && !cx.control.is_raised() && state.stop_signals().is_empty() {
            let batch = self.next_batch(&mut jobs);
            state = match batch.len() {
                1 => run_one(state, cx, batch).await?,
                _ => self.run_batch(state, cx, batch).await?,
            };
        }
        Ok(skip_rest(state, cx, jobs))
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
                let starting: Vec<Job> = waiting.drain(..room).collect();
                state = begin(state, cx, &starting).await?;
                running.extend(starting.into_iter().map(|job| call(job, &state, cx)));
            }
            if running.is_empty() {
                break;
            }
            let raised = std::pin::pin!(cx.control.raised());
            let mut ended = Vec::new();
            match select(running.next(), raised).await {
                Either::Left((ran, _)) => ended.extend(ran),
                Either::Right(_) => running.clear(),
            }
            // What ended at the same time is committed together.
            while let Some(Some(ran)) = running.next().now_or_never() {
                ended.push(ran);
            }
            state = record(cx.tick(state), cx, ended, &mut release).await?;
        }
        let state = interrupt(state, cx);
        release.rest(&state, cx);
        Ok(skip_rest(state, cx, waiting))
    }
}

/// A batch of one, without what it takes to run several.
async fn run_one(
    state: AgentState,
    cx: &StepContext,
    mut batch: VecDeque<Job>,
) -> Result<AgentState, Halt> {
    let mut release = Release::new(
        ExecutionMode::Sequential,
        batch.iter().map(|job| (job.index, &job.call, job.spec.mode)),
    );
    let state = begin(state, cx, batch.make_contiguous()).await?;
    let Some(job) = batch.pop_front() else { return Ok(state) };
    let running = call(job, &state, cx);
    let ended = match select(running, std::pin::pin!(cx.control.raised())).await {
        Either::Left((ran, _)) => vec![ran],
        Either::Right(_) => Vec::new(),
    };
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
            known.and_then(|known| known.tools.get(&slot.call.name))
                == shown.specs.digest_of(*place)
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
        let resource = resource(spec, &call);
        let (spec, owner) = (Arc::clone(spec), Arc::clone(owner));
        jobs.push_back(Job { index, call, spec, owner, resource, begun, changed });
    }
    (state, jobs)
}

/// What a call works on: tools that name one argument each share a space of names.
fn resource(spec: &ToolSpec, call: &ToolCall) -> Option<String> {
    let name = spec.resource.as_deref()?;
    let arguments = call.parse().ok()?;
    let value = arguments.get(name)?;
    Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

/// Records the intents; those of `Once` calls are durable before anything starts.
async fn begin(mut state: AgentState, cx: &StepContext, jobs: &[Job]) -> Result<AgentState, Halt> {
    let mut once = false;
    for job in jobs.iter().filter(|job| !job.begun) {
        let effect = job.spec.effect;
        once |= !effect.is_repeatable();
        let (index, arguments) = (job.index, job.changed.clone());
        state = state.with(Event::ToolStarted(ToolStarted { index, effect, arguments }));
    }
    let response = state.current_step().and_then(|step| step.response_entry);
    let unsaved = response.is_some_and(|entry| entry > state.committed_version());
    if once || unsaved {
        state = cx.commit(state).await?;
    }
    let step = state.current_step().map_or(0, |step| step.number);
    for job in jobs {
        let (index, call) = (job.index, &*job.call);
        cx.live(&state, &LiveEvent::ToolStarted { step, index, call });
    }
    Ok(cx.tick(state))
}

/// One running call; dropping it ends the tool.
fn call(job: Job, state: &AgentState, cx: &StepContext) -> BoxFuture<'static, Ran> {
    let clock = Arc::clone(&cx.clock);
    let Some(key) = state.effect_key(job.index) else {
        let outcome = ToolOutcome::failed("the call has no response entry");
        let (index, spec, took) = (job.index, job.spec, Micros::ZERO);
        let metadata = Metadata::default();
        return Box::pin(std::future::ready(Ran { index, outcome, took, metadata, spec }));
    };
    let context = ToolContext::new(
        state.clone(),
        key,
        cx.control.cancel.clone(),
        Arc::clone(&cx.observer),
        cx.deps.clone(),
    );
    Box::pin(async move {
        let start = clock.now().mono;
        // The call itself is made inside: it may panic before there is a future.
        let body = async { job.owner.call(&job.call, &context).await };
        let body = AssertUnwindSafe(body).catch_unwind();
        let outcome = match job.spec.timeout {
            None => body.await,
            Some(limit) => {
                match select(std::pin::pin!(body), clock.sleep(Duration::from(limit))).await {
                    Either::Left((outcome, _)) => outcome,
                    Either::Right(_) => Ok(timed_out(limit)),
                }
            }
        };
        let outcome = outcome.unwrap_or_else(|panic| panicked(&*panic));
        let took = clock.now().mono.since(start);
        let metadata = context.take_metadata();
        Ran { index: job.index, outcome, took, metadata, spec: job.spec }
    })
}

fn timed_out(limit: Micros) -> ToolOutcome {
    let message = format!("It ran longer than its limit of {limit} and was ended.");
    ToolOutcome::Failed(FailureKind::Timeout, message)
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> ToolOutcome {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    ToolOutcome::Failed(FailureKind::Panicked, format!("The tool panicked: {text}"))
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
    for mut ran in ended {
        let (index, took) = (ran.index, ran.took);
        urgent |= !ran.spec.effect.is_repeatable() || took >= SLOW;
        let outcome = std::mem::replace(&mut ran.outcome, ToolOutcome::Interrupted);
        let outcome = Arc::new(limit_retries(&state, &ran, outcome.for_journal()));
        release.ended(&state, cx, index, &outcome);
        state = state.with(Event::ToolFinished(ToolFinished {
            index,
            outcome,
            took,
            metadata: ran.metadata,
        }));
    }
    if urgent { cx.commit(state).await } else { Ok(state) }
}

/// A retry asked for too often becomes a failure that says so.
fn limit_retries(state: &AgentState, ran: &Ran, outcome: ToolOutcome) -> ToolOutcome {
    let ToolOutcome::Retry(message) = outcome else { return outcome };
    let name = &ran.spec.name;
    let before = state.execution().and_then(|e| e.retries.get(name)).copied().unwrap_or(0);
    let (attempt, max) = (before.saturating_add(1), ran.spec.max_retries);
    if attempt > max {
        let message = format!("{message} (attempt {attempt} of `{name}`; it is not tried again)");
        return ToolOutcome::Failed(FailureKind::RetriesExhausted, message);
    }
    ToolOutcome::Retry(format!("{message} (attempt {attempt}, {} left)", max - before))
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
fn skip_rest(mut state: AgentState, cx: &StepContext, jobs: VecDeque<Job>) -> AgentState {
    let why = match state.stop_signals().first() {
        _ if cx.control.cancel.is_cancelled() => "the execution was cancelled".to_owned(),
        Some(signal) => format!("the execution was stopped ({})", signal.reason),
        None => return state,
    };
    for job in jobs {
        let slot = state.current_step().and_then(|step| step.calls.get(job.index as usize));
        if slot.is_none_or(|slot| slot.execution().is_some()) {
            continue;
        }
        let skipped = || ToolOutcome::Skipped(why.clone());
        let outcome = if job.begun { ToolOutcome::Interrupted } else { skipped() };
        state = cx.answer(state, job.index, &job.call, outcome);
    }
    state
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

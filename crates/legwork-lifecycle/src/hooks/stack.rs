//! Hooks in the order of their priority, found by trigger.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::{Either, select};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::{AgentState, Micros, StopSignal};
use legwork_port::event::HookEnd;
use legwork_port::{BoxFuture, EventKind, Lifecycle, StepView, Trigger, unwind};
use tracing::warn;

use crate::admit::{Refused, Rights, admit};
use crate::hooks::body::Begun;
use crate::hooks::{Cx, Error, Hook};
use crate::strictness::Strictness;

/// Hooks by trigger, highest priority first, stable among equals.
#[derive(Clone, Default)]
pub struct HookStack {
    by_trigger: [Vec<Arc<Hook>>; Trigger::ALL.len()],
    strictness: Strictness,
}

impl HookStack {
    /// A stack of hooks.
    pub fn new(hooks: impl IntoIterator<Item = Hook>) -> Self {
        let mut stack = Self::default();
        for hook in hooks.into_iter().map(Arc::new) {
            for trigger in hook.triggers() {
                if let Some(hooks) = stack.by_trigger.get_mut(*trigger as usize) {
                    hooks.push(Arc::clone(&hook));
                }
            }
        }
        for hooks in &mut stack.by_trigger {
            hooks.sort_by_key(|hook| std::cmp::Reverse(hook.priority));
        }
        stack
    }

    /// The same, with what becomes of changes that are not allowed.
    #[must_use]
    pub fn strictness(self, strictness: Strictness) -> Self {
        Self { strictness, ..self }
    }

    fn on_trigger(&self, trigger: Trigger) -> &[Arc<Hook>] {
        self.by_trigger.get(trigger as usize).map_or(&[], Vec::as_slice)
    }

    /// Lets in what a hook handed back; a state that is not let in costs nothing but its
    /// change.
    ///
    /// A state that it did not change is given back, to be given to the next one: to count
    /// who has it costs more than most hooks do.
    fn conclude(
        &self,
        run: &HookRun<'_>,
        state: &mut AgentState,
        ran: Result<AgentState, Failure>,
    ) -> Option<AgentState> {
        match ran {
            Ok(after) if after.is_same(state) => {
                run.emit(HookEnd::Passed);
                Some(after)
            }
            ran => {
                self.admit(run, state, ran);
                None
            }
        }
    }

    fn admit(&self, run: &HookRun<'_>, state: &mut AgentState, ran: Result<AgentState, Failure>) {
        let (hook, trigger) = (run.hook, run.trigger);
        match ran.map(|after| admit(Rights::Guest, trigger, state, after)) {
            Ok(Ok(after)) => {
                run.emit(HookEnd::Changed);
                *state = after;
            }
            Ok(Err(refused)) => {
                run.emit(HookEnd::Refused(refused.message.clone()));
                *state = self.refuse(state.clone(), hook, trigger, refused);
            }
            Err(Failure::Ended) => {
                let why = "the run was cancelled or interrupted while it waited";
                run.emit(HookEnd::Failed(why.to_owned()));
            }
            Err(Failure::Failed(why)) => {
                run.emit(HookEnd::Failed(why.to_string()));
                let on = trigger.name();
                warn!(hook = &*hook.name, on, "hook failed");
                let message = format!("the hook `{}` failed on {on}: {why}", hook.name);
                let error = ErrorRecord::new(source(hook), ErrorKind::Hook, message);
                let error = ErrorRecord { retryable: why.is_retryable(), ..error };
                *state = failed(state.clone(), hook, trigger, error);
            }
        }
    }

    /// Records a change that is not let in.
    fn refuse(
        &self,
        state: AgentState,
        hook: &Hook,
        trigger: Trigger,
        refused: Refused,
    ) -> AgentState {
        let message = format!("the hook `{}` {}", hook.name, refused.message);
        let fails = self.strictness.fails(trigger, &refused.kind);
        let error = ErrorRecord::new(source(hook), refused.kind, message);
        let state = failed(state, hook, trigger, error.clone());
        match fails && state.stop_signals().is_empty() {
            true => state.with_stop_signal(StopSignal::error(&*hook.name, error)),
            false => state,
        }
    }
}

/// A hook that ran on a trigger.
struct HookRun<'a> {
    hook: &'a Hook,
    trigger: Trigger,
    view: &'a StepView,
    /// When it began; none while nobody listens.
    start: Option<Micros>,
}

impl HookRun<'_> {
    /// Notifies observers of how the hook ended.
    fn emit(&self, end: HookEnd) {
        let Some(start) = self.start else { return };
        let took = self.view.clock().mono().since(start);
        let (hook, trigger) = (self.hook.name.to_string(), self.trigger.name().to_owned());
        self.view.events().emit(|| EventKind::HookExecuted { hook, trigger, took, end });
    }
}

impl Lifecycle for HookStack {
    fn listens(&self, trigger: Trigger) -> bool {
        !self.on_trigger(trigger).is_empty()
    }

    fn on<'a>(
        &'a self,
        trigger: Trigger,
        mut state: AgentState,
        view: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        Box::pin(async move {
            let hooks = self.on_trigger(trigger).iter();
            let watched = view.events().listens();
            let shared = Arc::new(view.clone());
            let mut round = Round { stack: self, hooks, trigger, view, shared, watched };
            while let Some((run, running)) =
                poll_fn(|task| Poll::Ready(round.next_that_waits(&mut state, task))).await
            {
                // In a box: few hooks wait, and waiting for one is large.
                let ran = Box::pin(wait(run.hook, running, view)).await;
                self.conclude(&run, &mut state, ran.and_then(state_of));
            }
            state
        })
    }
}

/// The hooks that are still to run on a trigger.
struct Round<'a> {
    stack: &'a HookStack,
    hooks: std::slice::Iter<'a, Arc<Hook>>,
    trigger: Trigger,
    view: &'a StepView,
    /// The same, as each hook gets it.
    shared: Arc<StepView>,
    watched: bool,
}

impl<'a> Round<'a> {
    /// Runs hooks up to the first that waits for something, and gives that.
    fn next_that_waits(
        &mut self,
        state: &mut AgentState,
        task: &mut Context<'_>,
    ) -> Option<(HookRun<'a>, Running<'a>)> {
        let (trigger, view) = (self.trigger, self.view);
        let mut unchanged = None;
        for hook in self.hooks.by_ref() {
            let given = unchanged.take().unwrap_or_else(|| state.clone());
            let start = self.watched.then(|| view.clock().mono());
            let cx = Cx { trigger, view: Arc::clone(&self.shared) };
            let begun = unwind::call(|| hook.body.begin(given, cx, task));
            let run = HookRun { hook, trigger, view, start };
            let ran = match begun {
                // As in `conclude`, which most hooks need not reach when no observer listens.
                Ok(Begun::Ended(Ok(after))) if !self.watched && after.is_same(state) => {
                    unchanged = Some(after);
                    continue;
                }
                Ok(Begun::Waits(running)) => return Some((run, running)),
                Ok(Begun::Ended(ran)) => Ok(ran),
                Err(panic) => Err(panic),
            };
            unchanged = self.stack.conclude(&run, state, state_of(ran));
        }
        None
    }
}

/// Why there is no state of a hook.
enum Failure {
    /// It failed, for this reason.
    Failed(Error),
    /// The run was cancelled or interrupted while it waited.
    Ended,
}

/// A hook at work.
type Running<'a> = BoxFuture<'a, Result<AgentState, Error>>;

/// What came of a hook, or what it said when it panicked.
type Ran = Result<Result<AgentState, Error>, String>;

/// Waits for a hook, as long as it may take, and no longer than the run goes on.
async fn wait(hook: &Hook, running: Running<'_>, view: &StepView) -> Result<Ran, Failure> {
    let (running, ended) = (unwind::run(|| running), pin!(view.ended()));
    let Some(limit) = hook.timeout else {
        return match select(running, ended).await {
            Either::Left((ran, _)) => Ok(ran),
            Either::Right(_) => Err(Failure::Ended),
        };
    };
    match select(running, select(ended, view.clock().sleep(limit))).await {
        Either::Left((ran, _)) => Ok(ran),
        Either::Right((Either::Left(_), _)) => Err(Failure::Ended),
        Either::Right((Either::Right(_), _)) => Err(Failure::Failed(Error::TimedOut(limit))),
    }
}

/// What the hook handed back, or why it failed.
fn state_of(ran: Ran) -> Result<AgentState, Failure> {
    match ran {
        Ok(ran) => ran.map_err(Failure::Failed),
        Err(panic) => Err(Failure::Failed(Error::Panicked(panic))),
    }
}

/// Records the failure in the state that the hook was given; a gate fails closed.
fn failed(state: AgentState, hook: &Hook, trigger: Trigger, error: ErrorRecord) -> AgentState {
    let state = state.with_error(error.clone());
    // What is over cannot be stopped.
    if !hook.is_gate() || trigger == Trigger::ExecutionEnd {
        return state;
    }
    if state.current_tool_call().is_some() {
        return state.with_tool_call_blocked(&*hook.name, error.message);
    }
    state.with_stop_signal(StopSignal::error(&*hook.name, error))
}

fn source(hook: &Hook) -> ErrorSource {
    ErrorSource::Hook(hook.name.to_string())
}

//! Hooks in the order of their priority, found by trigger.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::{AgentState, Micros, StopSignal};
use legwork_port::{BoxFuture, HookEnd, Lifecycle, LiveEvent, StepView, Trigger};

use crate::hooks::{Cx, Hook, HookError};
use crate::lifecycle::{Rights, admit};
use crate::unwind;

/// What becomes of an execution when a hook changed what its trigger does not allow. The
/// change is left out and told either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// It is recorded as an error, and the execution goes on.
    #[default]
    Report,
    /// It is an error that fails the execution.
    Strict,
}

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
                if let Some(place) = stack.by_trigger.get_mut(*trigger as usize) {
                    place.push(Arc::clone(&hook));
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
    fn conclude(
        &self,
        place: &Place<'_>,
        before: AgentState,
        ran: Result<AgentState, String>,
    ) -> AgentState {
        let (hook, trigger) = (place.hook, place.trigger);
        match ran.map(|after| admit(Rights::Guest, trigger, &before, after)) {
            Ok(Ok(after)) => {
                place.tell(match after.is_same(&before) {
                    true => HookEnd::Passed,
                    false => HookEnd::Changed,
                });
                after
            }
            Ok(Err(refused)) => {
                place.tell(HookEnd::Refused(&refused.message));
                let message = format!("the hook `{}` {}", hook.name, refused.message);
                let fails = self.strictness.fails(trigger, &refused.kind);
                let error = ErrorRecord::new(source(hook), refused.kind, message);
                let state = failed(before, hook, trigger, error.clone());
                match fails && state.stop_signals().is_empty() {
                    true => state.with_stop_signal(StopSignal::error(&*hook.name, error)),
                    false => state,
                }
            }
            Err(message) => {
                place.tell(HookEnd::Failed(&message));
                let on = trigger.name();
                let message = format!("the hook `{}` failed on {on}: {message}", hook.name);
                let error = ErrorRecord::new(source(hook), ErrorKind::Hook, message);
                failed(before, hook, trigger, error)
            }
        }
    }
}

/// A hook that ran on a trigger.
struct Place<'a> {
    hook: &'a Hook,
    trigger: Trigger,
    view: &'a StepView,
    /// When it began; none while nobody listens.
    start: Option<Micros>,
}

impl Place<'_> {
    /// Notifies observers of how the hook ended.
    fn tell(&self, end: HookEnd<'_>) {
        let Some(start) = self.start else { return };
        let took = self.view.clock().now().mono.since(start);
        let (hook, trigger) = (&self.hook.name, self.trigger);
        let event = LiveEvent::HookExecuted { hook, trigger, took, end };
        self.view.observer().live(self.view.origin(), &event);
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
            let listens = view.observer().listens();
            for hook in self.on_trigger(trigger) {
                let (before, cx) = (state.clone(), Cx { trigger, view: view.clone() });
                let start = listens.then(|| view.clock().now().mono);
                let ran = match hook.timeout {
                    None => unwind::run(|| hook.handler.handle(state, cx)).await,
                    // In a box: few hooks have a limit, and waiting for one is large.
                    Some(limit) => Box::pin(within(limit, hook, state, cx)).await,
                };
                let place = Place { hook, trigger, view, start };
                state = self.conclude(&place, before, in_words(ran));
            }
            state
        })
    }
}

/// What came of a hook, or what it said when it panicked.
type Ran = Result<Result<AgentState, HookError>, String>;

/// Runs a hook that has a time limit.
async fn within(limit: Duration, hook: &Hook, state: AgentState, cx: Cx) -> Ran {
    let sleep = cx.view.clock().sleep(limit);
    match select(unwind::run(|| hook.handler.handle(state, cx)), sleep).await {
        Either::Left((ran, _)) => ran,
        Either::Right(_) => {
            Ok(Err(HookError(format!("it ran longer than its limit of {limit:.1?}"))))
        }
    }
}

/// What the hook handed back, or why it failed.
fn in_words(ran: Ran) -> Result<AgentState, String> {
    match ran {
        Ok(ran) => ran.map_err(|error| error.0),
        Err(panic) => Err(format!("it panicked: {panic}")),
    }
}

/// Records the failure in the state that the hook was given; a gate fails closed.
fn failed(state: AgentState, hook: &Hook, trigger: Trigger, error: ErrorRecord) -> AgentState {
    let state = state.with_error(error.clone());
    // What is over cannot be stopped.
    if !hook.is_gate() || trigger == Trigger::ExecutionEnd {
        return state;
    }
    if state.pending_tool_call().is_some() {
        return state.with_tool_call_blocked(&*hook.name, error.message);
    }
    state.with_stop_signal(StopSignal::error(&*hook.name, error))
}

fn source(hook: &Hook) -> ErrorSource {
    ErrorSource::Hook(hook.name.to_string())
}

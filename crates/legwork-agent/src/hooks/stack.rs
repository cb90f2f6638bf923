//! Hooks in the order of their priority, found by trigger.

use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{Either, select};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::{AgentState, Micros, StopSignal};
use legwork_port::{BoxFuture, HookEnd, Lifecycle, LiveEvent, StepView, Trigger};

use crate::hooks::{Cx, Hook};
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

    /// Runs one hook; a state that is not let in costs nothing but its change.
    async fn run(
        &self,
        hook: &Hook,
        trigger: Trigger,
        state: AgentState,
        view: &StepView,
    ) -> AgentState {
        let before = state.clone();
        let listens = view.observer().listens();
        let start = if listens { view.clock().now().mono } else { Micros::ZERO };
        let ran = within_limit(hook, state, Cx { trigger, view: view.clone() }).await;
        let tell = |end: HookEnd<'_>| {
            if listens {
                let took = view.clock().now().mono.since(start);
                let event = LiveEvent::HookExecuted { hook: &hook.name, trigger, took, end };
                view.observer().live(view.origin(), &event);
            }
        };
        match ran.map(|after| admit(Rights::Guest, trigger, &before, after)) {
            Ok(Ok(after)) => {
                tell(if after.is_same(&before) { HookEnd::Passed } else { HookEnd::Changed });
                after
            }
            Ok(Err(refused)) => {
                tell(HookEnd::Refused(&refused.message));
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
                tell(HookEnd::Failed(&message));
                let on = trigger.name();
                let message = format!("the hook `{}` failed on {on}: {message}", hook.name);
                let error = ErrorRecord::new(source(hook), ErrorKind::Hook, message);
                failed(before, hook, trigger, error)
            }
        }
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
            for hook in self.on_trigger(trigger) {
                state = self.run(hook, trigger, state, view).await;
            }
            state
        })
    }
}

/// What the hook hands back, or why it failed.
async fn within_limit(hook: &Hook, state: AgentState, cx: Cx) -> Result<AgentState, String> {
    let limit = hook.timeout.map(|limit| (limit, cx.view.clock().sleep(limit)));
    let ran = unwind::run(|| hook.handler.handle(state, cx));
    let ran = match limit {
        None => ran.await,
        Some((limit, sleep)) => match select(pin!(ran), sleep).await {
            Either::Left((ran, _)) => ran,
            Either::Right(_) => {
                return Err(format!("it ran longer than its limit of {limit:.1?}"));
            }
        },
    };
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

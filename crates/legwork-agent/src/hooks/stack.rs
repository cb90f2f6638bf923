//! Hooks in the order of their priority, found by trigger.

use std::sync::Arc;

use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::{AgentState, StopReason, StopSignal};
use legwork_port::{BoxFuture, Lifecycle, StepView, Trigger};

use crate::hooks::{Cx, Hook};

/// Hooks by trigger, highest priority first, stable among equals.
#[derive(Clone, Default)]
pub struct HookStack {
    by_trigger: [Vec<Arc<Hook>>; Trigger::ALL.len()],
}

impl HookStack {
    /// A stack of hooks.
    pub fn new(hooks: impl IntoIterator<Item = Hook>) -> Self {
        let mut stack = Self::default();
        for hook in hooks.into_iter().map(Arc::new) {
            for trigger in &hook.triggers {
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

    fn on_trigger(&self, trigger: Trigger) -> &[Arc<Hook>] {
        self.by_trigger.get(trigger as usize).map_or(&[], Vec::as_slice)
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
                let (mark, before) = (state.mark(), state.clone());
                let cx = Cx { trigger, tools: Arc::clone(&view.tools) };
                state = match (hook.function)(state, cx).await {
                    Ok(after) if after.extends(&mark) => after,
                    Ok(_) => violated(before, hook, trigger),
                    Err(error) => failed(before, hook, trigger, ErrorKind::Hook, error.0),
                };
            }
            state
        })
    }
}

fn violated(state: AgentState, hook: &Hook, trigger: Trigger) -> AgentState {
    let message = "handed back a state that does not extend the one it was given: its change is \
                   left out; return what was given, changed only by transitions";
    failed(state, hook, trigger, ErrorKind::Lineage, message.to_owned())
}

/// Records the failure in the state that the hook was given; a gate fails closed.
fn failed(
    state: AgentState,
    hook: &Hook,
    trigger: Trigger,
    kind: ErrorKind,
    message: String,
) -> AgentState {
    let source = ErrorSource::Hook(hook.name.clone());
    let message = format!("the hook `{}` failed on {trigger:?}: {message}", hook.name);
    let state = state.with_error(ErrorRecord::new(source, kind, message.clone()));
    if !hook.is_gate() {
        return state;
    }
    if state.pending_tool_call().is_some() {
        return state.with_tool_call_blocked(hook.name.clone(), message);
    }
    state.with_stop_signal(StopSignal::new(StopReason::Error, hook.name.clone(), message))
}

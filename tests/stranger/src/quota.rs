//! A lifecycle: a tool may run so many times in an execution, and no more.

use std::future::ready;

use legwork_port::core::state::CallSlot;
use legwork_port::core::{AgentState, ToolOutcome};
use legwork_port::{BoxFuture, Lifecycle, StepView, Trigger};

/// Lets a tool run so many times in an execution, blocks further calls, and leaves the
/// number of both in the session's metadata.
///
/// It counts in the state, not in itself: so a count survives the process.
#[derive(Debug, Clone)]
pub struct Quota {
    tool: String,
    calls: usize,
}

/// Calls of the tool in an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Count {
    allowed: usize,
    blocked: usize,
}

impl Quota {
    /// The name it blocks by, and the key of the metadata.
    pub const NAME: &'static str = "quota";

    /// So many calls of a tool.
    pub fn new(tool: impl Into<String>, calls: usize) -> Self {
        Self { tool: tool.into(), calls }
    }

    fn count<'a>(&self, slots: impl Iterator<Item = &'a CallSlot>) -> Count {
        let own = slots.filter(|slot| *slot.call.name == *self.tool);
        own.fold(Count::default(), |count, slot| {
            match slot.execution().map(|execution| &*execution.outcome) {
                Some(ToolOutcome::Blocked { by, .. }) if by == Self::NAME => {
                    Count { blocked: count.blocked + 1, ..count }
                }
                _ => Count { allowed: count.allowed + 1, ..count },
            }
        })
    }
}

impl Lifecycle for Quota {
    fn listens(&self, trigger: Trigger) -> bool {
        matches!(trigger, Trigger::BeforeToolUse | Trigger::ExecutionEnd)
    }

    fn on_before_tool_use<'a>(
        &'a self,
        state: AgentState,
        _view: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        let Some(pending) = state.current_tool_call().filter(|call| *call.call.name == *self.tool)
        else {
            return Box::pin(ready(state));
        };
        let ended = state.step_results().flat_map(|result| result.step.calls.iter());
        let here = state.current_step().into_iter().flat_map(|step| step.calls.iter());
        let before = here.take(pending.index as usize);
        let allowed = self.count(ended.chain(before)).allowed;
        if allowed < self.calls {
            return Box::pin(ready(state));
        }
        let reason = format!("`{}` was called {allowed} times, that is all it may", self.tool);
        Box::pin(ready(state.with_tool_call_blocked(Self::NAME, reason)))
    }

    fn on_execution_end<'a>(
        &'a self,
        state: AgentState,
        _view: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        let Count { allowed, blocked } =
            self.count(state.step_results().flat_map(|result| result.step.calls.iter()));
        let value = serde_json::json!({"allowed": allowed, "blocked": blocked});
        Box::pin(ready(state.with_metadata(Self::NAME, Some(value))))
    }
}

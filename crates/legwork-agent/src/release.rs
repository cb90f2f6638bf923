//! In which order live results are told.

use std::sync::Arc;

use legwork_core::tool::{ExecutionMode, Metadata};
use legwork_core::{AgentState, ToolCall, ToolOutcome};
use legwork_port::observer::LiveEvent;

use crate::context::StepContext;

/// Tells live results of ordered tools in call order, of unordered ones at once.
pub(crate) struct Release(Vec<Held>);

struct Held {
    index: u32,
    call: Arc<ToolCall>,
    ordered: bool,
    outcome: Option<(Arc<ToolOutcome>, Metadata)>,
    told: bool,
}

impl Release {
    /// Results of these calls: index, call, and mode of the tool.
    pub(crate) fn new<'a>(
        mode: ExecutionMode,
        calls: impl Iterator<Item = (u32, &'a Arc<ToolCall>, ExecutionMode)>,
    ) -> Self {
        let unordered = ExecutionMode::ParallelUnordered;
        let held = |(index, call, tool): (u32, &Arc<ToolCall>, ExecutionMode)| Held {
            index,
            call: Arc::clone(call),
            ordered: mode != unordered && tool != unordered,
            outcome: None,
            told: false,
        };
        Self(calls.map(held).collect())
    }

    /// A call ended: tells its result, and those that waited for it.
    pub(crate) fn ended(
        &mut self,
        state: &AgentState,
        cx: &StepContext,
        index: u32,
        outcome: &Arc<ToolOutcome>,
        metadata: &Metadata,
    ) {
        if let Some(held) = self.0.iter_mut().find(|held| held.index == index) {
            held.outcome = Some((Arc::clone(outcome), metadata.clone()));
        }
        self.tell(state, cx);
    }

    /// No other call will end: tells what was held back.
    pub(crate) fn rest(&mut self, state: &AgentState, cx: &StepContext) {
        self.0.iter_mut().for_each(|held| held.ordered = false);
        self.tell(state, cx);
    }

    fn tell(&mut self, state: &AgentState, cx: &StepContext) {
        let step = state.current_step().map_or(0, |step| step.number);
        let mut blocked = false;
        for held in &mut self.0 {
            let Some((outcome, metadata)) = &held.outcome else {
                blocked |= held.ordered;
                continue;
            };
            if held.told || (held.ordered && blocked) {
                continue;
            }
            held.told = true;
            let (index, call) = (held.index, &*held.call);
            cx.live(&LiveEvent::ToolFinished { step, index, call, outcome, metadata });
        }
    }
}

//! In which order live results are told.

use std::sync::Arc;

use legwork_core::tool::{ExecutionMode, Metadata};
use legwork_core::{AgentState, ToolCall, ToolOutcome};
use legwork_port::observer::LiveEvent;

use crate::context::StepContext;

/// Sends live results to observers: of ordered tools in call order, of unordered ones and of
/// unknown calls at once.
#[derive(Default)]
pub(crate) struct Release {
    /// By index.
    calls: Vec<Held>,
    /// Results of ordered tools before this one are sent.
    next: usize,
}

struct Held {
    index: u32,
    call: Arc<ToolCall>,
    ordered: bool,
    /// Its outcome, until that is sent.
    outcome: Option<(Arc<ToolOutcome>, Metadata)>,
}

impl Release {
    /// Results of these calls: index, call, and mode of the tool; in call order.
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
        };
        Self { calls: calls.map(held).collect(), next: 0 }
    }

    /// A call ended: tells its result, and those that waited for it.
    pub(crate) fn ended(
        &mut self,
        state: &AgentState,
        cx: &StepContext,
        (index, call): (u32, &ToolCall),
        outcome: &Arc<ToolOutcome>,
        metadata: &Metadata,
    ) {
        let at = self.calls.binary_search_by_key(&index, |held| held.index);
        let held = at.ok().and_then(|at| self.calls.get_mut(at)).filter(|held| held.ordered);
        let Some(held) = held else { return tell(state, cx, (index, call), outcome, metadata) };
        held.outcome = Some((Arc::clone(outcome), metadata.clone()));
        while let Some(held) = self.calls.get_mut(self.next) {
            if held.ordered && held.outcome.is_none() {
                return;
            }
            held.tell(state, cx);
            self.next += 1;
        }
    }

    /// No other call will end: tells what was held back.
    pub(crate) fn rest(&mut self, state: &AgentState, cx: &StepContext) {
        self.calls.iter_mut().skip(self.next).for_each(|held| held.tell(state, cx));
    }
}

impl Held {
    /// Sends its result, once.
    fn tell(&mut self, state: &AgentState, cx: &StepContext) {
        let Some((outcome, metadata)) = self.outcome.take() else { return };
        tell(state, cx, (self.index, &self.call), &outcome, &metadata);
    }
}

fn tell(
    state: &AgentState,
    cx: &StepContext,
    (index, call): (u32, &ToolCall),
    outcome: &ToolOutcome,
    metadata: &Metadata,
) {
    let step = state.current_step().map_or(0, |step| step.number);
    cx.live(&LiveEvent::ToolFinished { step, index, call, outcome, metadata });
}

//! In which order live results reach observers.

use std::sync::Arc;

use legwork_core::ToolCall;
use legwork_core::event::ToolFinished;
use legwork_core::tool::ExecutionMode;

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
    /// Its result, until that is sent.
    finished: Option<ToolFinished>,
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
            finished: None,
        };
        Self { calls: calls.map(held).collect(), next: 0 }
    }

    /// A call ended: sends its result, and those that waited for it.
    pub(crate) fn ended(&mut self, cx: &StepContext, call: &ToolCall, finished: &ToolFinished) {
        let at = self.calls.binary_search_by_key(&finished.index, |held| held.index);
        let held = at.ok().and_then(|at| self.calls.get_mut(at)).filter(|held| held.ordered);
        let Some(held) = held else { return cx.emit_finished(call, finished) };
        held.finished = Some(finished.clone());
        while let Some(held) = self.calls.get_mut(self.next) {
            if held.ordered && held.finished.is_none() {
                return;
            }
            held.emit(cx);
            self.next += 1;
        }
    }

    /// No other call will end: sends what was held back.
    pub(crate) fn rest(&mut self, cx: &StepContext) {
        self.calls.iter_mut().skip(self.next).for_each(|held| held.emit(cx));
    }
}

impl Held {
    /// Sends its result, once.
    fn emit(&mut self, cx: &StepContext) {
        if let Some(finished) = self.finished.take() {
            cx.emit_finished(&self.call, &finished);
        }
    }
}

//! How often a tool may be called in an execution.

use crate::state::{AgentState, AgentStep, CallSlot, CallStatus};
use crate::tool::{ToolOutcome, ToolSpec};

impl AgentState {
    /// Checks a call of the step under way against the maximum number of calls of its tool.
    ///
    /// Calls count in call order, whatever came of them; those that did not run do not count.
    ///
    /// # Errors
    /// The outcome that tells the model that no call is left.
    pub fn check_call_limit(&self, spec: &ToolSpec, index: u32) -> Result<(), ToolOutcome> {
        let Some(max) = spec.max_calls else { return Ok(()) };
        if self.calls_before(&spec.name, index) < max as usize {
            return Ok(());
        }
        let reason = format!(
            "`{}` may be called {max} times in an execution, and was: go on without it.",
            spec.name
        );
        Err(ToolOutcome::Blocked { by: "the limit of its calls".to_owned(), reason })
    }

    /// How many calls of a tool ran in this execution, or may run, before one of the step under
    /// way.
    fn calls_before(&self, tool: &str, index: u32) -> usize {
        let counts = |slot: &&CallSlot| *slot.call.name == *tool && may_run(slot);
        let of = |step: &AgentStep| step.calls.iter().filter(counts).count();
        let earlier: usize = self.step_results().map(|result| of(&result.step)).sum();
        let current = self.calls().take_while(|(at, _)| *at < index).map(|(_, slot)| slot);
        earlier + current.filter(counts).count()
    }
}

/// Whether the body of a call ran, or may still run.
fn may_run(slot: &CallSlot) -> bool {
    match &slot.status {
        CallStatus::Done(execution) => execution.effect.is_some() || execution.ran_elsewhere,
        CallStatus::Open | CallStatus::Ready | CallStatus::Started(_) => true,
    }
}

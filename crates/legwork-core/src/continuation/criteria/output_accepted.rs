//! Whether the output of the execution was accepted.

use crate::continuation::{Criterion, Decision, Error, StopReason, StopSignal};
use crate::state::AgentState;

/// Stops when the output was accepted, and requests to go on after an answer without one if the
/// agent wants an output: `output_accepted`.
///
/// It abstains for answers that call tools other than those that give the output, and of agents
/// that want no output as long as none was accepted.
#[derive(Debug, Clone, Copy)]
pub struct OutputAccepted;

impl Criterion for OutputAccepted {
    fn name(&self) -> &str {
        "output_accepted"
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        if state.output().is_some() {
            let words = "the output was accepted";
            let signal = StopSignal::new(StopReason::Completed, self.name(), words);
            return Ok(Some(Decision::Stop(signal)));
        }
        let answered = |step: &crate::AgentStep| {
            let whole = step.response.as_ref().is_some_and(|r| r.incomplete.is_none());
            whole && step.calls.is_empty()
        };
        let owes = state.wanted_output().is_some() && state.current_step().is_some_and(answered);
        Ok(owes.then_some(Decision::Request))
    }
}

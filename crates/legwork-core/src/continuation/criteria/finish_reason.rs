//! Whether the model ended its answer.

use crate::continuation::{Criterion, Decision, Error, StopReason, StopSignal};
use crate::inference::FinishReason;
use crate::state::AgentState;

/// Stops when the model ended its answer: `finish_reason`.
///
/// It abstains for an answer with tool calls, and for an incomplete one.
#[derive(Debug, Clone, Copy)]
pub struct FinishReasonStops;

impl Criterion for FinishReasonStops {
    fn name(&self) -> &str {
        "finish_reason"
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        let response = state.current_step().and_then(|step| step.response.as_ref());
        let whole = response.filter(|response| response.incomplete.is_none());
        let Some(response) = whole.filter(|_| !state.awaits_model()) else { return Ok(None) };
        let (reason, words) = match &response.finish {
            FinishReason::Stop | FinishReason::ToolCalls => {
                (StopReason::Completed, "the model is done".to_owned())
            }
            other => (StopReason::FinishReason, format!("the answer ended with {other}")),
        };
        Ok(Some(Decision::Stop(StopSignal::new(reason, self.name(), words))))
    }
}

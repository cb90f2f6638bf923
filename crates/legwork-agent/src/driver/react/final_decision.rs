//! Whether the model decided on its answer.

use legwork_core::{AgentState, Criterion, FinishReason, StopReason, StopSignal};

use crate::driver::react::mark::{Kind, Mark};

/// Stops as completed when the model decided on its answer: `final_decision`.
///
/// It asks to go on after an answer which a plain one shall follow, and says nothing of
/// anything else. [`ReAct`](crate::driver::ReAct) brings it along.
#[derive(Debug, Clone, Copy, Default)]
pub struct FinalDecision;

impl Criterion for FinalDecision {
    fn name(&self) -> &str {
        "final_decision"
    }

    fn decide(
        &self,
        state: &AgentState,
    ) -> Result<Option<legwork_core::Decision>, legwork_core::continuation::Error> {
        let Some(step) = state.current_step() else { return Ok(None) };
        let response = step.response.as_ref().filter(|response| response.incomplete.is_none());
        let Some(response) = response.filter(|_| step.calls.is_empty()) else { return Ok(None) };
        let words = match Mark::of(response).map(|mark| mark.decision) {
            Some(Kind::Draft) => return Ok(Some(legwork_core::Decision::Request)),
            Some(Kind::Answer) => "the model decided on its answer",
            Some(Kind::Plain) if response.finish == FinishReason::Stop => {
                "the model gave its answer"
            }
            _ => return Ok(None),
        };
        let signal = StopSignal::new(StopReason::Completed, self.name(), words);
        Ok(Some(legwork_core::Decision::Stop(signal)))
    }
}

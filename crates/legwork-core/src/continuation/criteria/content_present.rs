//! Whether an answer has content.

use crate::continuation::{Criterion, Decision, Error, StopReason, StopSignal};
use crate::inference::FinishReason;
use crate::message::Part;
use crate::state::AgentState;

/// Stops after an answer with content, requests to go on after an empty one: `content_present`.
///
/// Not a default criterion. Content is text that is not blank, a refusal, an image or a file;
/// thinking is not. After an empty answer the model is asked again in a new step, as often as
/// limits allow, but only if it ended the answer itself: one cut by its length or a filter
/// would be the same again. It abstains for an answer with tool calls or an incomplete one.
#[derive(Debug, Clone, Copy)]
pub struct ContentPresent;

impl Criterion for ContentPresent {
    fn name(&self) -> &str {
        "content_present"
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        let Some(step) = state.current_step().filter(|step| step.calls.is_empty()) else {
            return Ok(None);
        };
        let response = step.response.as_ref().filter(|response| response.incomplete.is_none());
        let Some(response) = response else { return Ok(None) };
        if response.message.parts.iter().any(says_something) {
            let words = "the answer has content";
            let signal = StopSignal::new(StopReason::Completed, self.name(), words);
            return Ok(Some(Decision::Stop(signal)));
        }
        let done = matches!(response.finish, FinishReason::Stop | FinishReason::ToolCalls);
        Ok(done.then_some(Decision::Request))
    }
}

fn says_something(part: &Part) -> bool {
    match part {
        Part::Text(text) | Part::Refusal(text) => !text.text.trim().is_empty(),
        Part::Image(_) | Part::File(_) => true,
        _ => false,
    }
}

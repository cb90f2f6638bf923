//! Whether an answer says anything.

use crate::continuation::{Criterion, Decision, StopReason, StopSignal};
use crate::inference::FinishReason;
use crate::message::Part;
use crate::state::AgentState;

/// Stops at an answer that says something, asks to go on after an empty one:
/// `content_present`.
///
/// It does not ship on. An answer says something by text that is more than blank, a
/// refusal or an image; thinking alone is none. An empty answer is asked for again in a
/// new step as often as limits allow, but only where the model meant to be done: one
/// that was cut by its length or a filter would come out the same. Beside tool calls,
/// and of an incomplete answer, it says nothing.
#[derive(Debug, Clone, Copy)]
pub struct ContentPresent;

impl Criterion for ContentPresent {
    fn name(&self) -> &str {
        "content_present"
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, String> {
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

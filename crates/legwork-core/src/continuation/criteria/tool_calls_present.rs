//! Whether the model has to read results of calls.

use crate::continuation::{Criterion, Decision, Error};
use crate::outcome::TOOL_CALLS;
use crate::state::AgentState;

/// Requests to go on while the model has not read the results of its calls: `tool_calls_present`.
///
/// It abstains once an output was accepted.
#[derive(Debug, Clone, Copy)]
pub struct ToolCallsPresent;

impl Criterion for ToolCallsPresent {
    fn name(&self) -> &str {
        TOOL_CALLS
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        let reads_on = state.awaits_model() && state.output().is_none();
        Ok(reads_on.then_some(Decision::Request))
    }
}

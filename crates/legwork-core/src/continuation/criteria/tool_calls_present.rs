//! Answered calls that await the model.

use crate::continuation::{Criterion, Decision};
use crate::outcome::TOOL_CALLS;
use crate::state::AgentState;

/// Asks to go on while an answered call awaits the model: `tool_calls_present`.
#[derive(Debug, Clone, Copy)]
pub struct ToolCallsPresent;

impl Criterion for ToolCallsPresent {
    fn name(&self) -> &str {
        TOOL_CALLS
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, String> {
        Ok(state.awaits_model().then_some(Decision::Request))
    }
}

//! The driver for models that call tools.

use legwork_core::error::ErrorRecord;
use legwork_core::{AgentState, ModelRequest};
use legwork_toolset::StepTools;

use crate::context::StepContext;
use crate::driver::{Driver, request};

/// The driver for models that call tools.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolCalling;

impl Driver for ToolCalling {
    fn name(&self) -> &str {
        "tool_calling"
    }

    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        request(state, cx, shown)
    }
}

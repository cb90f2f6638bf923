//! The driver for models that call tools.

use std::sync::Arc;

use legwork_core::error::ErrorRecord;
use legwork_core::{AgentState, ModelRequest};

use crate::context::StepContext;
use crate::driver::{Driver, settled};
use crate::toolbox::Shown;

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
        _cx: &StepContext,
        shown: &Shown,
    ) -> Result<ModelRequest, ErrorRecord> {
        let settings = Arc::new(state.settings().clone());
        let mut request = ModelRequest::new(settled(state)?, settings);
        request.instructions = Arc::clone(state.instructions());
        request.tools = Arc::clone(&shown.specs);
        request.response_format.clone_from(&state.context().response_format);
        Ok(request)
    }
}

//! A driver that makes its steps by a function, and its requests as tool calling does.

use legwork_agent::toolset::StepTools;
use legwork_agent::{Driver, Halt, StepContext, ToolCalling};
use legwork_core::error::ErrorRecord;
use legwork_core::{AgentState, ModelRequest};
use legwork_port::BoxFuture;

/// What such a step gives.
pub(crate) type Step<'a> = BoxFuture<'a, Result<AgentState, Halt>>;

struct Stepping<F>(F);

/// The driver of a function.
pub(crate) fn stepping<F>(step: F) -> impl Driver
where
    F: for<'a> Fn(AgentState, &'a StepContext) -> Step<'a> + Send + Sync + 'static,
{
    Stepping(step)
}

impl<F> Driver for Stepping<F>
where
    F: for<'a> Fn(AgentState, &'a StepContext) -> Step<'a> + Send + Sync + 'static,
{
    fn name(&self) -> &str {
        "stepping"
    }

    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        ToolCalling.request(state, cx, shown)
    }

    fn use_tools<'a>(&'a self, state: AgentState, cx: &'a StepContext) -> Step<'a> {
        (self.0)(state, cx)
    }
}

//! Other parts of an agent, and how they go wrong.

use std::panic::resume_unwind;
use std::sync::Arc;

use legwork_agent::toolbox::Shown;
use legwork_agent::{Builder, Driver, Halt, StepContext, ToolCalling};
use legwork_core::continuation::{
    ErrorHandler, ErrorPolicy, FailExecution, Failure, RetryLimit, StepsLimit, TokenLimit,
    criterion as callable,
};
use legwork_core::{
    AgentState, ErrorRecord, ModelRequest, Response, ToolCall, ToolOutcome, ToolSpec,
};
use legwork_port::{BoxFuture, ToolContext, Toolset};

use super::program::{AgentPart, CriterionPlan, Goes, PartPlan};
use super::world::World;

/// The agent with a criterion of a number of its own.
pub(super) fn criterion(builder: Builder, plan: CriterionPlan) -> Builder {
    match plan {
        CriterionPlan::Steps(most) => builder.criterion(StepsLimit::at(most)),
        CriterionPlan::Tokens(most) => builder.criterion(TokenLimit::at(most)),
        CriterionPlan::Retries(most) => builder.criterion(RetryLimit::at(most)),
        CriterionPlan::ToolErrors(most) => builder.criterion(ErrorPolicy::retry_tool_errors(most)),
        CriterionPlan::StopOnAny => builder.criterion(ErrorPolicy::stop_on_any()),
    }
}

/// Whether it is the call of the part at which it goes wrong.
pub(super) fn is_due(plan: &PartPlan, world: &World) -> bool {
    world.count(&format!("{plan:?}")) == plan.nth
}

/// The agent with a part that goes wrong; observers are made elsewhere.
pub(super) fn wrong(builder: Builder, plan: PartPlan, world: &World) -> Builder {
    let world = world.clone();
    match plan.part {
        AgentPart::Live | AgentPart::Committed => builder,
        AgentPart::Criterion => {
            let name = format!("votes {}", plan.nth);
            builder.criterion(callable(name, move |_: &AgentState| match is_due(&plan, &world) {
                true if plan.goes == Goes::Fails => Err("it fails".to_owned()),
                true => resume_unwind(Box::new("the criterion panics")),
                false => Ok(None),
            }))
        }
        AgentPart::ErrorHandler => builder.error_handler(Wrong { plan, world }),
        AgentPart::Open | AgentPart::Specs => builder.toolset(Wrong { plan, world }),
        AgentPart::Request | AgentPart::Read => builder.driver(WrongDriver { plan, world }),
        AgentPart::Step => builder.driver(WrongStep { plan, world }),
    }
}

/// Whether opening the agent's toolsets may fail as planned.
pub(super) fn opening_fails(parts: &[PartPlan]) -> bool {
    parts.iter().any(|plan| plan.part == AgentPart::Open && plan.goes != Goes::Hangs)
}

/// Whether asking toolsets for their tools may fail as planned.
pub(super) fn specs_fail(parts: &[PartPlan]) -> bool {
    parts.iter().any(|plan| plan.part == AgentPart::Specs && plan.goes != Goes::Hangs)
}

/// Whether the driver may panic where nothing is journaled yet.
pub(super) fn driver_panics(parts: &[PartPlan]) -> bool {
    parts.iter().any(|plan| plan.part == AgentPart::Step)
}

/// A driver that panics once over a request or a response.
struct WrongDriver {
    plan: PartPlan,
    world: World,
}

impl WrongDriver {
    fn go(&self, part: AgentPart) {
        if part == self.plan.part && is_due(&self.plan, &self.world) {
            resume_unwind(Box::new("the driver panics"));
        }
    }
}

impl Driver for WrongDriver {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &Shown,
    ) -> Result<ModelRequest, ErrorRecord> {
        self.go(AgentPart::Request);
        ToolCalling.request(state, cx, shown)
    }

    fn read(&self, state: &AgentState, response: Response) -> Response {
        self.go(AgentPart::Read);
        ToolCalling.read(state, response)
    }
}

/// A driver that panics once when it has made a step.
struct WrongStep {
    plan: PartPlan,
    world: World,
}

impl Driver for WrongStep {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &Shown,
    ) -> Result<ModelRequest, ErrorRecord> {
        ToolCalling.request(state, cx, shown)
    }

    fn use_tools<'a>(
        &'a self,
        state: AgentState,
        cx: &'a StepContext,
    ) -> BoxFuture<'a, Result<AgentState, Halt>> {
        Box::pin(async {
            let made = ToolCalling.use_tools(state, cx).await;
            if is_due(&self.plan, &self.world) {
                resume_unwind(Box::new("the driver panics"));
            }
            made
        })
    }
}

/// A part that goes wrong once.
struct Wrong {
    plan: PartPlan,
    world: World,
}

impl Wrong {
    async fn go(&self, part: AgentPart) -> Result<(), String> {
        if part != self.plan.part || !is_due(&self.plan, &self.world) {
            return Ok(());
        }
        match self.plan.goes {
            Goes::Panics => resume_unwind(Box::new("the toolset panics")),
            Goes::Fails => Err("the toolset fails".to_owned()),
            Goes::Hangs => std::future::pending().await,
        }
    }
}

impl ErrorHandler for Wrong {
    fn handle(&self, state: &AgentState, error: &ErrorRecord) -> Failure {
        if is_due(&self.plan, &self.world) {
            resume_unwind(Box::new("the error handler panics"));
        }
        FailExecution.handle(state, error)
    }
}

impl Toolset for Wrong {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn open(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(self.go(AgentPart::Open))
    }

    fn specs<'a>(&'a self, _: &'a AgentState) -> BoxFuture<'a, Result<Vec<Arc<ToolSpec>>, String>> {
        Box::pin(async {
            self.go(AgentPart::Specs).await?;
            Ok(Vec::new())
        })
    }

    fn call<'a>(&'a self, _: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(std::future::ready(ToolOutcome::failed("it has no tools")))
    }
}

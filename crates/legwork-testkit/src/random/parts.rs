//! Other parts of an agent, and how they go wrong.

use std::panic::resume_unwind;
use std::sync::Arc;

use legwork_agent::toolset::StepTools;
use legwork_agent::{Builder, Driver, Halt, StepContext, ToolCalling};
use legwork_core::continuation::{
    ErrorHandler, ErrorPolicy, FailExecution, Failure, RetryLimit, StepsLimit, TokenLimit,
    criterion as callable,
};
use legwork_core::{AgentState, ErrorRecord, ModelRequest, Response};
use legwork_port::toolset::{Error, OpenToolset, Scope, Toolset};
use legwork_port::{BoxFuture, Tool};

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
                true if plan.goes == Goes::Fails => Err("it fails".into()),
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
        shown: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        self.go(AgentPart::Request);
        ToolCalling.request(state, cx, shown)
    }

    fn read(&self, state: &AgentState, response: &Response) -> Option<Response> {
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
        shown: &StepTools,
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
#[derive(Clone)]
struct Wrong {
    plan: PartPlan,
    world: World,
}

impl Wrong {
    async fn go(&self, part: AgentPart) -> Result<(), Error> {
        if part != self.plan.part || !is_due(&self.plan, &self.world) {
            return Ok(());
        }
        match self.plan.goes {
            Goes::Panics => resume_unwind(Box::new("the toolset panics")),
            Goes::Fails => Err(Error::Unavailable("the toolset fails".to_owned())),
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

    fn open<'a>(&'a self, _: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        Box::pin(async {
            self.go(AgentPart::Open).await?;
            Ok(Box::new(self.clone()) as Box<dyn OpenToolset>)
        })
    }
}

impl OpenToolset for Wrong {
    fn tools<'a>(&'a self, _: &'a AgentState) -> BoxFuture<'a, Result<Vec<Arc<dyn Tool>>, Error>> {
        Box::pin(async {
            self.go(AgentPart::Specs).await?;
            Ok(Vec::new())
        })
    }
}

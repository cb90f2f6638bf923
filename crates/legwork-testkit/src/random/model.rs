//! The model that says what a program plans.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::budget::{MicroUsd, Price};
use legwork_core::inference::Incomplete;
use legwork_core::message::{Part, ToolResult};
use legwork_core::{Message, ModelRequest, Response, Usage};
use legwork_port::model::{self, Ability, Kind, Profile};
use legwork_port::{BoxFuture, Clock as _, Deltas, Model};
use serde_json::{Value, json};

use super::program::{
    AgentPlan, CallIds, CallPlan, Does, Program, ToolPlan, Trouble, TurnPlan, UsagePlan,
};
use super::world::World;
use crate::asked::Asked;
use crate::model::ScriptedModel;
use crate::script::{Script, Turn};

/// Bytes a token of input, a little more than the estimates count.
const BYTES: u64 = 4;

/// Plays the turns of all agents of a program.
pub(super) struct Planned {
    agents: Vec<AgentPlan>,
    profile: Profile,
    world: World,
}

impl Planned {
    pub(super) fn new(program: &Program, world: &World) -> Self {
        let each = MicroUsd(1_000_000);
        let price = Price::new(each, each);
        let profile = Profile::new().with_prices(price).with(Ability::Tools);
        Self { agents: program.agents.clone(), profile, world: world.clone() }
    }

    /// Which agent asks: its instructions are its name.
    fn agent(asked: &Asked) -> usize {
        let name = asked.instructions.trim_start_matches('a');
        name.chars().next().and_then(|digit| digit.to_digit(10)).unwrap_or(0) as usize
    }

    async fn answer(
        &self,
        request: ModelRequest,
        deltas: Option<&mut dyn Deltas>,
    ) -> Result<Response, model::Error> {
        self.world.requested(&request);
        self.world.pace().await;
        let asked = Asked::of_request(&request, deltas.is_some());
        let (agent, at) = (Self::agent(&asked), asked.turn());
        let done = TurnPlan { text: 4, ..TurnPlan::default() };
        let plan = self.agents.get(agent).and_then(|agent| agent.turns.get(at)).unwrap_or(&done);
        let prompt = asked.messages.first().map_or("", |said| &said.text);
        let attempt = self.world.count(&format!("asked {agent} {at} {prompt}"));
        let usage = usage(plan, &request);
        let turn = turn(plan, agent, at);
        let turn = match usage {
            Some(usage) => turn.with_usage(usage),
            None => turn.without_usage(),
        };
        let turn = self.trouble(plan.before.get(attempt).copied(), turn).await;
        let scripted = ScriptedModel::new(Script::from_fn(move |_| turn.clone()));
        let deltas = deltas.map(|deltas| &mut *deltas as &mut dyn Deltas);
        let mut response = scripted.infer(request, deltas).await?;
        if plan.answers {
            response.message = Arc::new(with_result(&response.message));
        }
        self.world.pace().await;
        self.world.facts().used += response.usage.map_or(0, |usage| usage.total());
        Ok(response)
    }

    /// The turn with what goes wrong with it.
    async fn trouble(&self, trouble: Option<Trouble>, turn: Turn) -> Turn {
        match trouble {
            None => turn,
            Some(Trouble::Status(status)) => Turn::status(status),
            Some(Trouble::Charged) => {
                let error = model::Error::new(Kind::Malformed, "it cannot be read");
                Turn::error(model::Error { charged_attempts: 1, ..error })
            }
            Some(Trouble::Cut) => turn.incomplete(Incomplete::Cut),
            Some(Trouble::Stall) => std::future::pending().await,
            Some(Trouble::Slow(millis)) => {
                self.world.clock().sleep(Duration::from_millis(millis)).await;
                turn
            }
            // Without the hook of panics: nothing is printed.
            Some(Trouble::Panic) => resume_unwind(Box::new("the model panics")),
        }
    }
}

impl Model for Planned {
    fn name(&self) -> &'static str {
        "planned:model"
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, model::Error>> {
        Box::pin(self.answer(request, deltas))
    }
}

/// What a turn uses: never more than is held for it.
fn usage(plan: &TurnPlan, request: &ModelRequest) -> Option<Usage> {
    let UsagePlan::Percent(input, output) = plan.usage else { return None };
    let input = request.weight() / BYTES * input / 100;
    let output = request.max_output.unwrap_or(0) * output / 100;
    Some(Usage { input, output, ..Usage::default() })
}

/// What no model can say: the result of a tool.
fn with_result(message: &Message) -> Message {
    let result = ToolResult::new("call_0_0", "look", "made up");
    let parts = message.parts.iter().cloned();
    Message::assistant(parts.chain([Part::ToolResult(result)]).collect())
}

fn turn(plan: &TurnPlan, agent: usize, at: usize) -> Turn {
    let calls = plan.calls.iter().enumerate();
    let calls: Vec<_> = calls.map(|(i, plan)| call(plan, agent * 100 + at * 10 + i)).collect();
    let mut turn = Turn::raw_calls(calls);
    if plan.text > 0 {
        turn = turn.with_text("t".repeat(plan.text));
    }
    match plan.ids {
        CallIds::Own => turn,
        CallIds::Same => turn.with_call_ids(vec!["same"; plan.calls.len()]),
        CallIds::Empty => turn.with_call_ids(vec![""; plan.calls.len()]),
    }
}

/// The tool of a call and its arguments, which say what the body does.
fn call(plan: &CallPlan, label: usize) -> (&'static str, String) {
    let does = match plan.does {
        Does::Misfit => json!({"n": "none"}),
        Does::NoJson => return (name(plan.tool), "{\"n\": ".to_owned()),
        does => arguments(plan.tool, does, label),
    };
    (name(plan.tool), does.to_string())
}

fn arguments(tool: ToolPlan, does: Does, label: usize) -> Value {
    if let ToolPlan::Spawn(agent) = tool {
        return json!({"agent": format!("a{agent}"), "prompt": format!("prompt {label}")});
    }
    let (does, count) = match does {
        Does::Retry => ("retry", 0),
        Does::Fail => ("fail", 0),
        Does::FailHard => ("fail_hard", 0),
        Does::Panic => ("panic", 0),
        Does::Stall => ("stall", 0),
        Does::Sleep(millis) => ("sleep", millis),
        Does::Charge(tokens) => ("charge", tokens),
        Does::Deep => ("deep", 0),
        Does::Prompt => ("prompt", 0),
        _ => ("answer", 0),
    };
    json!({"n": label, "does": does, "count": count, "path": format!("f{}", label % 2)})
}

fn name(tool: ToolPlan) -> &'static str {
    match tool {
        ToolPlan::Look => "look",
        ToolPlan::Slow => "slow",
        ToolPlan::Put => "put",
        ToolPlan::File => "file",
        ToolPlan::Send => "send",
        ToolPlan::Tell => "tell",
        ToolPlan::Alone => "alone",
        ToolPlan::Spawn(_) => legwork_agent::subagent::TOOL,
        ToolPlan::Unknown => "nowhere",
    }
}

/// The model as an agent takes it.
pub(super) fn planned(program: &Program, world: &World) -> Arc<dyn Model> {
    Arc::new(Planned::new(program, world))
}

//! One budget for a tree of agents: what subagents use is reserved and charged in their parent.
//!
//! The model is scripted, with a price, so that this runs anywhere and costs nothing.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::Subagent;
use legwork::core::budget::{MicroUsd, Price};
use legwork::core::{FinishReason, Message, ModelRequest, Part, Response, ToolCall, Usage};
use legwork::port::BoxFuture;
use legwork::port::model::{Ability, Deltas, Error, Model, Profile};
use legwork::prelude::*;

/// Spawns both subagents; each answer, theirs too, costs $0.30.
struct Priced(Profile);

impl Priced {
    fn new() -> Self {
        let each = MicroUsd::from_usd(1_000.0);
        let price = Price::new(each, each);
        Self(Profile::new().with_prices(price).with(Ability::Tools))
    }
}

impl Model for Priced {
    fn name(&self) -> &str {
        "scripted:priced"
    }

    fn profile(&self) -> &Profile {
        &self.0
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        _: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, std::result::Result<Response, Error>> {
        let boss = &*request.instructions == "You lead.";
        let message = match boss && request.messages().len() == 1 {
            true => Message::assistant(["cheap", "dear"].map(spawn).into()),
            false => Message::assistant(vec![Part::text("done")]),
        };
        let mut response = Response::new(message, FinishReason::Stop);
        response.usage = Some(Usage { input: 200, output: 100, ..Usage::default() });
        Box::pin(std::future::ready(Ok(response)))
    }
}

fn spawn(agent: &str) -> Part {
    let arguments = format!(r#"{{"agent":"{agent}","prompt":"Work."}}"#);
    Part::ToolCall(ToolCall::new(agent, "spawn_subagent", arguments).into())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    let agent = Agent::builder(Priced::new())
        .instructions("You lead.")
        .settings(legwork::core::ModelSettings { max_output: Some(200), ..Default::default() })
        .budget(Budget::usd(3.00))
        .subagent(Subagent::new("dear", "Works without a limit of its own.", "You work."))
        .subagent(
            Subagent::new("cheap", "May spend ten cents.", "You work.").budget(Budget::usd(0.10)),
        )
        .build()?;
    let run = agent.run("Have it done.").await?;
    for execution in run.state().step_results().flat_map(|result| result.step.tool_executions()) {
        println!("{}: {}", execution.call.id, execution.outcome.to_text());
    }
    println!("{}: the whole tree used {}", run.text(), run.used().cost);
    Ok(())
}

//! Tools for files as a pipeline of decorators: prefixed, shown while there is money, approved,
//! retried and timed; combined with a second set.
//!
//! The model is scripted and free, so that this runs anywhere; the tool `expert` costs money.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use std::sync::Arc;
use std::time::Duration;

use legwork::core::budget::{Amounts, MicroUsd, Price};
use legwork::pending::Pending;
use legwork::port::{Ability, Profile};
use legwork::prelude::*;
use legwork::tools::{List, Read, Workspace, Write};
use legwork::toolset::{Ask, Combined, Tools};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

/// Asks an expert, who takes 60 cents.
#[tool]
async fn expert(question: String, cx: ToolContext) -> String {
    cx.charge(&Amounts { cost: MicroUsd::from_usd(0.60), ..Amounts::default() });
    format!("{question} It depends.")
}

/// The tools for files, and the expert.
fn tools(workspace: Workspace) -> impl Toolset {
    let look: [Arc<dyn Tool>; 2] =
        [Arc::new(Read::new(workspace.clone())), Arc::new(List::new(workspace.clone()))];
    let change: [Arc<dyn Tool>; 1] = [Arc::new(Write::new(workspace))];
    let dollar = MicroUsd::from_usd(1.00);

    Combined::new("tools")
        .with(
            Combined::new("files")
                .with(Tools::new("look", look))
                .with(Tools::new("change", change).tagged("write"))
                .prefixed("fs_")
                .filtered(move |_, state| {
                    state.ledger().left().cost.is_none_or(|left| left > dollar)
                })
                .approval_required(Ask::always().when(|call| call.spec.has_tag("write")))
                .retrying(2)
                .timed(Duration::from_secs(30)),
        )
        .with(Tools::new("people", [expert.into()]))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let free = Price::new(MicroUsd(0), MicroUsd(0));
    let model = ScriptedModel::new([
        Turn::call("fs_write", json!({"path": "note.txt", "content": "buy pears"})),
        Turn::call("expert", json!({"question": "Apples or pears?"})),
        Turn::call("fs_read", json!({"path": "note.txt"})),
        Turn::text("Pears."),
    ])
    .with_profile(Profile::new().with_prices(free).with(Ability::Tools));
    let agent = Agent::builder(model.clone())
        .toolset(tools(Workspace::open(folder.path())?))
        .approver(async |pending: Pending, _: AgentState| {
            println!("approved: {} {}", pending.tool, pending.arguments);
            Some(Answer::approve(&pending).by("Ann"))
        })
        .budget(Budget::usd(1.50))
        .build()?;
    let run = agent.run("Which fruit do I buy?").await?;

    let executions = run.state().step_results().flat_map(|result| result.step.tool_executions());
    for (execution, asked) in executions.zip(model.asked()) {
        let text = execution.outcome.to_text();
        println!("shown: {}", asked.tools.join(", "));
        println!("  {}: {}", execution.call.name, text.lines().next().unwrap_or_default());
    }
    println!("{} used {}", run.text(), run.used().cost);
    Ok(())
}

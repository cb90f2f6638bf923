//! A production agent in a test, with another model, another tool and other limits.
//!
//! A test would assert where this prints.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::Override;
use legwork::prelude::*;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

mod real {
    use legwork::prelude::*;

    /// Sends a mail.
    #[tool]
    pub(crate) async fn send_mail(to: String, text: String) -> Result<String, String> {
        Err(format!("no mail server here for {to}: {text}"))
    }
}

/// Sends no mail; has the name and the arguments of the real tool.
#[tool]
async fn send_mail(to: String, text: String) -> String {
    format!("{to} would read: {text}")
}

/// The production agent.
fn clerk() -> legwork::Result<Agent> {
    let model = model::at("openai:gpt-5-mini", None, Some("a key"))?;
    let agent = Agent::builder(model)
        .instructions("You are a careful clerk.")
        .tools([real::send_mail])
        .hook(hook("note", [Trigger::AfterToolUse], |state: AgentState, _| async move {
            Ok(state.with_metadata("mailed", Some(true.into())))
        }))
        .budget(Budget::usd(0.50))
        .build()?;
    Ok(agent)
}

/// The same for a test: without a real model, and without sending mail.
///
/// A scripted model begins with its first turn in each session: another run, or a subagent that
/// has the same model, gets the same answers again.
fn clerk_in_a_test(model: &ScriptedModel) -> legwork::Result<Agent> {
    let change = Override::new()
        .model(model.clone())
        .tools([send_mail])
        .budget(Budget::unlimited().steps(5));
    Ok(clerk()?.with_override(change)?)
}

async fn scenario() -> legwork::Result<(ScriptedModel, Run)> {
    let mail = Turn::call("send_mail", json!({"to": "Ann", "text": "Rent is due."}));
    let model = ScriptedModel::new([mail, Turn::text("Ann was told.")]);
    let run = clerk_in_a_test(&model)?.run("Remind Ann of the rent.").await?;
    Ok((model, run))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    let (model, run) = scenario().await?;
    for asked in model.asked() {
        println!("{} asked with {} messages", asked.instructions, asked.messages.len());
    }
    println!("{} ({})", run.text(), run.status());
    println!("mailed: {}", run.state().context().metadata.contains_key("mailed"));
    for result in run.state().step_results().flat_map(|result| result.step.tool_executions()) {
        println!("{}", result.outcome.to_text());
    }
    Ok(())
}

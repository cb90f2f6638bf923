//! Hooks as a policy: one blocks calls, one changes them, one fails closed.
//!
//! A script takes the place of the model, so that this runs anywhere.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::Hook;
use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::prelude::*;
use serde_json::json;

/// Deletes a file.
#[tool]
async fn delete(path: String) -> String {
    format!("deleted {path}")
}

/// Sends money.
#[tool]
async fn pay(to: String, euros: u32) -> String {
    format!("paid {euros} to {to}")
}

/// Blocks calls that delete a file outside of the scratch folder.
fn scratch_only() -> Hook {
    hook::before_tool_use("scratch_only", async |call, _cx| {
        let path = call.arguments()["path"].as_str().unwrap_or_default().to_owned();
        let inside = path.starts_with("scratch/") && !path.contains("..");
        match call.name() {
            "delete" if !inside => call.block(format!("{path} is not in scratch/")),
            _ => call,
        }
    })
    .gate()
}

/// Reduces payments to 50 euros; the changed arguments are validated again.
fn at_most_fifty() -> Hook {
    hook::before_tool_use("at_most_fifty", async |call, _cx| {
        let mut arguments = call.arguments().clone();
        match arguments.get_mut("euros") {
            Some(euros) if euros.as_u64() > Some(50) => *euros = 50.into(),
            _ => return call,
        }
        call.with_arguments(arguments)
    })
}

/// Fails for one recipient. It is a gate, so a call does not run when it fails.
fn not_on_the_list() -> Hook {
    hook::before_tool_use("not_on_the_list", async |call, _cx| match call.arguments().get("to") {
        Some(to) if to == "mallory" => Err(hook::Error::new("the list cannot be read")),
        _ => Ok(call),
    })
    .gate()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    let calls = [
        ("delete", json!({"path": "scratch/a.txt"})),
        ("delete", json!({"path": "/etc/passwd"})),
        ("pay", json!({"to": "bob", "euros": 900})),
        ("pay", json!({"to": "mallory", "euros": 1})),
    ];
    let builder =
        Agent::builder(NoModel).driver(Scripted::new([Line::calls(calls), "done".into()]));
    let builder = builder.tool(delete).tool(pay);
    let agent =
        builder.hook(scratch_only()).hook(at_most_fifty()).hook(not_on_the_list()).build()?;
    let run = agent.run("Tidy up and pay.").await?;
    for execution in run.state().step_results().flat_map(|result| result.step.tool_executions()) {
        println!("{}: {}", execution.call.name, execution.outcome.to_text());
    }
    Ok(())
}

//! Hooks as a policy: one refuses calls, one changes them, one fails closed.
//!
//! The steps stand in a script, so that this runs anywhere and asks no model.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::agent::{Hook, HookError};
use legwork::prelude::*;
use serde_json::{Value, json};

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

/// Nothing outside of the scratch folder is deleted.
fn scratch_only() -> Hook {
    hook("scratch_only", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        let Some(call) = state.pending_tool_call().cloned() else { return Ok(state) };
        let path = call.arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        let inside = path.starts_with("scratch/") && !path.contains("..");
        if &*call.call.name != "delete" || inside {
            return Ok(state);
        }
        Ok(state.with_tool_call_blocked("scratch_only", format!("{path} is not in scratch/")))
    })
    .gate()
}

/// At most 50 euros are paid at once; the changed arguments are held to the schema again.
fn at_most_fifty() -> Hook {
    hook("at_most_fifty", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        let Some(call) = state.pending_tool_call().cloned() else { return Ok(state) };
        let mut arguments = (*call.arguments).clone();
        match arguments.get_mut("euros") {
            Some(euros) if euros.as_u64() > Some(50) => *euros = 50.into(),
            _ => return Ok(state),
        }
        Ok(state.with_tool_call_arguments(arguments))
    })
}

/// Asks a list that cannot be read just now. It is a gate: when it fails, nothing runs.
fn not_on_the_list() -> Hook {
    hook("not_on_the_list", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        match state.pending_tool_call().and_then(|call| call.arguments.get("to")) {
            Some(to) if to == "mallory" => Err(HookError::new("the list cannot be read")),
            _ => Ok(state),
        }
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

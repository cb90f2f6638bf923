//! A call waits for approval: one process asks, a second approves, a third goes on.
//!
//! The program runs itself, once for each of the three. A script takes the place of the model.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use std::path::Path;
use std::process::Command;

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::prelude::*;
use legwork::toolset::{Ask, Tools};
use serde_json::json;

/// Pays an invoice.
#[tool]
async fn pay(to: String, euros: u32) {
    println!("pay: {to} gets {euros} euros");
}

/// The agent, as each process builds it: what they share is the store.
fn agent(folder: &Path) -> legwork::Result<Agent> {
    let script = Scripted::new([
        Line::call("pay", json!({"to": "Bob", "euros": 900})),
        Line::text("The invoice is paid."),
    ]);
    let large = Ask::always()
        .when(|call| call.arguments["euros"].as_u64() > Some(100))
        .because("it is more than 100 euros");
    let agent = Agent::builder(NoModel)
        .driver(script)
        .toolset(Tools::new("bank", [pay.into()]).approval_required(large))
        .store(format!("sqlite:{}", folder.join("clerk.db").display()));
    Ok(agent.build()?)
}

/// Runs until the call waits; without `outcome` that would be an error.
async fn run(agent: &Agent) -> legwork::Result<()> {
    let run = agent.run("Pay Bob's invoice.").in_session("invoice").outcome().await?;
    println!("run: {}", run.status());
    Ok(())
}

/// Looks at what waits, and approves it. Nothing runs here.
async fn approve(agent: &Agent) -> legwork::Result<()> {
    let session = agent.session("invoice");
    for waiting in session.pending().await? {
        let call = waiting.pending;
        let why = call.explanation.as_deref().unwrap_or_default();
        println!("approve: {} {}, because {why}", call.tool, call.arguments);
        session.answer(Answer::approve(&call).by("Ann")).await?;
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [verb, folder] = &args[..] else { return start_each() };
    let agent = agent(Path::new(folder))?;
    match verb.as_str() {
        "run" => run(&agent).await?,
        "approve" => approve(&agent).await?,
        // The call runs now.
        _ => println!("resume: {}", agent.resume("invoice").await?.text()),
    }
    Ok(())
}

/// Starts a process for each part, one after the other.
fn start_each() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    for verb in ["run", "approve", "resume"] {
        let program = std::env::current_exe()?;
        let status = Command::new(program).arg(verb).arg(folder.path()).status()?;
        if !status.success() {
            return Err(format!("{verb}: {status}").into());
        }
    }
    Ok(())
}

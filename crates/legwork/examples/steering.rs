//! Another process steers a running session: calls that have not begun are skipped.
//!
//! The tool `phone` starts that process itself, so that it comes at the right moment. A run looks
//! into its inbox when it commits something, such as the outcome of `phone`. A script takes the
//! place of the model.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use std::path::{Path, PathBuf};
use std::process::Command;

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::prelude::*;
use serde_json::json;

/// The folder of the store.
struct Folder(PathBuf);

/// Phones somebody; while it does, the other calls of the turn wait.
#[tool(sequential)]
async fn phone(name: String, #[dep] folder: &Folder) -> std::io::Result<String> {
    // In the meantime a person at another terminal says something.
    let mut other = Command::new(std::env::current_exe()?);
    other.arg("steer").arg(&folder.0);
    let status = tokio::task::spawn_blocking(move || other.status()).await??;
    println!("phone: the other process ended with {status}");
    Ok(format!("{name} is at home"))
}

/// Sends a letter.
#[tool]
async fn send(to: String) -> String {
    println!("send: to {to}");
    format!("sent to {to}")
}

/// The agent, as both processes build it: what they share is the store.
fn agent(folder: &Path) -> legwork::Result<Agent> {
    let letter = |to: &str| ("send", json!({"to": to}));
    let script = Scripted::new([
        Line::calls([("phone", json!({"name": "Ann"})), letter("Ann"), letter("Bob")]),
        Line::from_fn(|state| {
            let heard =
                state.context().transcript.messages().iter().last().map(|message| message.text());
            Line::text(format!("I heard: {}", heard.unwrap_or_default()))
        }),
    ]);
    let agent = Agent::builder(NoModel)
        .driver(script)
        .tools([phone, send])
        .dep(Folder(folder.to_owned()))
        .store(format!("sqlite:{}", folder.join("post.db").display()))
        .build()?;
    Ok(agent)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [_steer, folder] = &args[..] {
        // The session is in use: what is said waits in its inbox, and is durable from here on.
        agent(Path::new(folder))?.session("post").steer("Send no letters today.").await?;
        println!("steer: said");
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let run = agent(folder.path())?.run("Write to Ann and Bob.").in_session("post").await?;
    for execution in run.state().step_results().flat_map(|result| result.step.tool_executions()) {
        println!("{}: {}", execution.call.name, execution.outcome.to_text());
    }
    println!("{}", run.text());
    Ok(())
}

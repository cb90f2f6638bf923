//! Concurrent runs of one agent: a run is a future.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::prelude::*;
use tokio::task::JoinSet;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // For a real model, use `Agent::builder(model::from_env("openai:gpt-5-mini")?)`.
    let script = Scripted::new([Line::from_fn(|state| {
        let task = state.context().transcript.messages().iter().next().map(|task| task.text());
        Line::text(format!("{} is filed", task.unwrap_or_default()))
    })]);
    let agent = Agent::builder(NoModel).driver(script).build()?;

    let report = tokio::spawn(agent.run("the report"));
    let mut letters = JoinSet::new();
    for letter in ["letter 1", "letter 2", "letter 3"] {
        letters.spawn(agent.run(letter));
    }
    let letters: Result<Vec<_>, _> = letters.join_all().await.into_iter().collect();
    let mut filed: Vec<_> = letters?.iter().map(Run::text).collect();
    filed.sort();
    println!("{}", report.await??.text());
    println!("{}", filed.join("\n"));
    Ok(())
}

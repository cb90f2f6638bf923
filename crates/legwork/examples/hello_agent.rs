//! The smallest agent: a model, a tool, a task.
//!
//! A script takes the place of the model, so that this runs anywhere. For a real model, use
//! `Agent::builder(model::from_env("openai:gpt-5-mini")?)` without a driver.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::prelude::*;

/// Adds two whole numbers.
#[tool(read_only)]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    let script = Scripted::new([
        Line::call("add", serde_json::json!({"a": 17, "b": 25})),
        Line::text("17 + 25 = 42"),
    ]);
    let agent = Agent::builder(NoModel)
        .driver(script)
        .instructions("You are a careful clerk.")
        .tools([add])
        .budget(Budget::unlimited().steps(20))
        .build()?;
    let run = agent.run("What is 17 + 25?").await?;
    println!("{}", run.text());
    println!("{} in {} steps", run.status(), run.used().steps);
    Ok(())
}

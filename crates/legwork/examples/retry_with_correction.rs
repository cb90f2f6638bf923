//! A model corrects its calls: arguments that do not fit, and those that a tool asks to correct.
//!
//! A script takes the place of the model, so that this runs anywhere.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::prelude::*;
use legwork::toolset::Tools;
use serde_json::{Value, json};

/// Reserves a table.
#[tool]
async fn reserve(
    /// How many people come.
    people: u32,
    /// The hour, from 0 to 23.
    hour: u32,
) -> Result<String, ToolOutcome> {
    match hour {
        18..=22 => Ok(format!("a table for {people} at {hour}")),
        _ => Err(ToolOutcome::retry("the kitchen is open from 18 to 22: name another hour")),
    }
}

/// Makes calls with these arguments, one a step, and prints what the model reads of each.
async fn call(attempts: &[Value]) -> legwork::Result<()> {
    let calls = attempts.iter().map(|arguments| Line::call("reserve", arguments.clone()));
    let agent = Agent::builder(NoModel)
        .driver(Scripted::new(calls.chain(["I am done.".into()])))
        // Two corrections in a row; a call that succeeds counts from the start again.
        .toolset(Tools::new("restaurant", [reserve.into()]).retrying(2))
        .build()?;
    let run = agent.run("Reserve a table.").await?;
    for execution in run.state().step_results().flat_map(|result| result.step.tool_executions()) {
        println!("{} {}", execution.call.name, execution.call.arguments);
        for line in execution.outcome.to_text().lines() {
            println!("  {line}");
        }
    }
    println!("{}", run.text());
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    let late = json!({"people": 2, "hour": 23});
    // The arguments do not fit the schema; then the hour is wrong; then all is right.
    let words = json!({"people": "two", "hour": 23});
    call(&[words, late.clone(), json!({"people": 2, "hour": 20})]).await?;
    // The third of three in a row fails: the model is told not to try again.
    call(&[late.clone(), late.clone(), late]).await
}

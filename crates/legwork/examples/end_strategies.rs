//! A turn with a final output and other calls, under each end strategy.
//!
//! A script takes the place of the model, so that this runs anywhere.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::prelude::*;
use legwork::tool::EndStrategy;
use serde_json::json;

/// Writes a line into the log.
#[tool]
async fn log(line: String) -> String {
    format!("logged {line}")
}

/// Gives the result of the work.
#[tool(idempotent)]
async fn conclude(result: String) -> Result<String, String> {
    match result.is_empty() {
        true => Err("the result is empty".to_owned()),
        false => Ok(result),
    }
}

async fn end(strategy: EndStrategy) -> legwork::Result<()> {
    // The first conclusion fails; of the other two the first is the output.
    let turn = [
        ("log", json!({"line": "begun"})),
        ("conclude", json!({"result": ""})),
        ("conclude", json!({"result": "42"})),
        ("log", json!({"line": "done"})),
        ("conclude", json!({"result": "43"})),
    ];
    let agent = Agent::builder(NoModel)
        .driver(Scripted::new([Line::calls(turn)]))
        .tool(log)
        .output_tool(conclude)
        .end_strategy(strategy)
        .build()?;
    let run = agent.run("Work it out.").await?;
    println!("{strategy:?}: {}", run.output().and_then(|output| output.as_str()).unwrap_or("?"));
    for execution in run.state().step_results().flat_map(|result| result.step.tool_executions()) {
        println!("  {}: {}", execution.call.name, execution.outcome.to_text());
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    // The calls that give an output run first; the rest does not run.
    end(EndStrategy::Early).await?;
    // The default: the rest runs, but no other call that gives an output.
    end(EndStrategy::Graceful).await?;
    // All calls run; the first output by call order wins.
    end(EndStrategy::Exhaustive).await
}

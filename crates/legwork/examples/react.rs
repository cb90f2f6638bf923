//! Tools for a model without tool calling, which writes its decisions as JSON.
//!
//! The model is scripted, so that this runs anywhere; use `model::from_env(..)` in its place.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::ReAct;
use legwork::core::Part;
use legwork::port::{Ability, Profile};
use legwork::prelude::*;
use legwork_testkit::{ScriptedModel, Turn};

/// How many of a thing are in stock.
#[tool(read_only)]
async fn stock(item: String) -> Result<u32, String> {
    match item.as_str() {
        "apples" => Ok(12),
        "pears" => Ok(7),
        _ => Err(format!("there are no {item} here")),
    }
}

/// The answers of a small model: JSON in prose, an error, then correct ones.
fn small_model() -> ScriptedModel {
    ScriptedModel::new([
        Turn::text(
            "Sure! ```json\n{\"thought\": \"I count the apples\", \
             \"action\": {\"tool\": \"stock\", \"arguments\": {\"item\": \"apples\"}}}\n```",
        ),
        Turn::text("{\"thought\": \"and the pears\", \"action\": {\"tool\": \"count\"}}"),
        Turn::text(
            "{\"thought\": \"it is called stock\", \
             \"action\": {\"tool\": \"stock\", \"arguments\": {\"item\": \"pears\"}}}",
        ),
        Turn::text("{\"thought\": \"12 and 7\", \"answer\": \"19 fruits\"}"),
    ])
    .with_profile(Profile::new().without(Ability::Tools))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    let agent = Agent::builder(small_model())
        .instructions("You keep the stock of a shop.")
        .driver(ReAct::new())
        .tools([stock])
        .build()?;
    let run = agent.run("How many fruits are there?").await?;
    // The transcript has the usual parts: thinking, calls, results, text.
    for part in run.state().context().transcript.messages().iter().flat_map(|m| &m.parts) {
        match part {
            Part::Thinking(thinking) => println!("thought: {}", thinking.text),
            Part::ToolCall(call) => println!("call: {} {}", call.name, call.arguments),
            Part::ToolResult(result) => println!("result: {}", result.text()),
            _ => {}
        }
    }
    for error in run.state().errors() {
        println!("corrected: {error}");
    }
    println!("{}", run.text());
    Ok(())
}

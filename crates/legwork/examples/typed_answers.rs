//! Answers with a type: of an agent, in each mode, with a validator, and of a model by itself.
//!
//! `cargo run -p legwork --example typed_answers` plays a script; with `OPENAI_API_KEY` set and a
//! model named, such as `-- openai:gpt-5-mini`, that model answers.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use std::sync::Arc;

use legwork::output::{Mode, Output};
use legwork::port::Model;
use legwork::prelude::*;
use legwork_testkit::{Script, ScriptedModel, Turn};
use serde_json::json;

/// A city.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct City {
    /// Its name in English.
    name: String,
    population: u32,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: Arc<dyn Model> = match std::env::args().nth(1) {
        Some(name) => model::from_env(&name)?,
        None => Arc::new(scripted()),
    };
    let agent = Agent::builder(Arc::clone(&model)).build()?;
    let question = "Which is the largest city of France?";
    let modes =
        [Mode::ToolCall, Mode::NativeSchema, Mode::JsonObject, Mode::Fenced, Mode::Prompted];
    for mode in modes {
        let city = agent.output::<City>().mode(mode).run(question).await?;
        println!("{mode:?}: {} has {} inhabitants", city.name, city.population);
    }
    let large = Output::<City>::of()?.validate(|city: &City| match city.population {
        1_000_000.. => Ok(()),
        other => Err(format!("{} has only {other} inhabitants", city.name)),
    });
    let answered = agent.output_as(large).run(question).answered().await?;
    println!("{} in {} step(s)", answered.value.name, answered.run.used().steps);
    let city = model.extract::<City>("Paris has 2.1 million inhabitants.").await?;
    println!("extracted: {} has {} inhabitants", city.name, city.population);
    Ok(())
}

/// Answers in the way that it is asked.
fn scripted() -> ScriptedModel {
    let paris = json!({"name": "Paris", "population": 2_100_000});
    ScriptedModel::new(Script::from_fn(move |asked| match asked.tools.is_empty() {
        true => Turn::text(format!("```json\n{paris}\n```")),
        false => Turn::call("answer", paris.clone()),
    }))
}

//! Tools made of closures and of a function, which look up dependencies by their type.
//!
//! A script takes the place of the model, so that this runs anywhere. For a real model, use
//! `Agent::builder(model::from_env("openai:gpt-5-mini")?)` without a driver.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use std::sync::Mutex;

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// A dependency of the tools; the model never sees it.
struct Prices(Vec<(&'static str, f64)>);
#[derive(Default)]
struct Cart(Mutex<Vec<String>>);

#[derive(Deserialize, JsonSchema)]
struct Item {
    /// What it is called in the shop.
    name: String,
}

/// Puts something into the cart.
#[tool(idempotent)]
fn put(name: String, #[dep] cart: &Cart) -> usize {
    let mut cart = cart.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    cart.push(name);
    cart.len()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    let price =
        tool::from_fn("price", "Looks up a price.", |item: Item, cx: ToolContext| async move {
            let prices = cx.need::<Prices>()?;
            let found = prices.0.iter().find(|(name, _)| *name == item.name);
            found.map(|(_, price)| *price).ok_or_else(|| ToolOutcome::failed("not in the shop"))
        });
    let today = tool::from_fn("today", "Tells the day.", || "Monday").read_only();
    let script = Scripted::new([
        Line::call("today", json!({})),
        Line::call("price", json!({"name": "pears"})),
        Line::call("price", json!({"name": "plums"})),
        Line::call("put", json!({"name": "pears"})),
        Line::text("One kilo of pears."),
    ]);
    let agent = Agent::builder(NoModel)
        .driver(script)
        .tools([price.read_only(), today])
        .tool(put)
        .dep(Prices(vec![("apples", 2.5), ("pears", 3.0)]))
        .dep(Cart::default())
        .build()?;
    let run = agent.run("Buy pears or plums.").await?;
    for result in run.state().step_results().flat_map(|result| result.step.tool_executions()) {
        println!("{}: {}", result.call.name, result.outcome.to_text());
    }
    println!("{}", run.text());
    Ok(())
}

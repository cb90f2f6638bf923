//! An agent with a tool, a store and a budget of half a dollar.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::prelude::*;

/// Adds two whole numbers.
#[tool(read_only)]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    let agent = Agent::builder(model::from_env("openai:gpt-5-mini")?)
        .instructions("You are a careful clerk.")
        .tools([add])
        .store("sqlite:clerk.db")
        .budget(Budget::usd(0.50).steps(20))
        .build()?;
    let run = agent.run("What is 17 + 25?").await?;
    println!("{}", run.text());
    Ok(())
}

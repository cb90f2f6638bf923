use legwork::prelude::*;

/// Adds two whole numbers.
#[tool(read_only)]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[tokio::main]
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

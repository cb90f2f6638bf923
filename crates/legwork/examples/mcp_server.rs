//! An agent as an MCP server, and another agent as its client: over HTTP, in one process.
//!
//! Scripts take the place of models, so that this runs anywhere.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::mcp::{Endpoint, Server as Tools};
use legwork::mcp_server::{Access, Agents, Server};
use legwork::port::Cancellation;
use legwork::prelude::*;
use serde_json::json;
use tokio::net::TcpListener;

/// Tells when it is high.
#[tool(read_only)]
fn high_water(port: String) -> String {
    format!("{port}: at 14:07")
}

/// The harbour master: knows the tides, and keeps sessions.
fn harbour_master() -> legwork::Result<Agent> {
    let asks = [
        Line::call("high_water", json!({"port": "Dover"})),
        Line::text("High water in Dover is at seven past two."),
    ];
    let agent = Agent::builder(NoModel).driver(Scripted::new(asks)).id("harbour_master");
    Ok(agent.tools([high_water]).store("memory:").build()?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let agents = Agents::new(harbour_master()?);
    let (server, stop) = (Server::new(agents.clone()), Cancellation::new());
    let served = stop.clone();
    let serving =
        tokio::spawn(async move { server.serve_http(listener, Access::Local, &served).await });

    // The client: an agent whose tools are the harbour master, and what he works with.
    let harbour = Tools::new("harbour", Endpoint::new(&url)?).trusted();
    for tool in &harbour.look().await?.tools {
        println!("{}", tool.name);
    }
    let asks = [
        Line::call("harbour_run_agent", json!({"task": "When is high water in Dover?"})),
        Line::call("harbour_high_water", json!({"port": "Calais"})),
        Line::text("Thank you."),
    ];
    let agent = Agent::builder(NoModel).driver(Scripted::new(asks)).toolset(harbour).build()?;
    let run = agent.run("Ask the harbour master.").await?;
    for result in run.state().step_results().flat_map(|result| result.step.tool_executions()) {
        let said = result.outcome.to_text();
        println!("{} says: {}", result.call.name, said.lines().next().unwrap_or_default());
    }
    stop.cancel();
    serving.await??;
    agents.end().await;
    Ok(())
}

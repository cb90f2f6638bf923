//! The tools of an MCP server: a program that is started for the run, and ends with it.
//!
//! A script takes the place of the model, and a few lines of shell that of a server, so that this
//! runs anywhere.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::mcp::{Program, Server};
use legwork::prelude::*;
use serde_json::json;

/// A server with one tool. It speaks the revision of 2025-11-25, a message a line.
const SERVER: &str = r#"
while read -r line; do
  id=$(expr "$line" : '.*"id":\([0-9]*\)')
  case "$line" in
    *server/discover*) answer='"error":{"code":-32601,"message":"no such method"}' ;;
    *'"initialize"'*) answer='"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},
      "serverInfo":{"name":"tides","version":"1"}}' ;;
    *tools/list*) answer='"result":{"tools":[{"name":"high.water","description":"When it is high.",
      "inputSchema":{"type":"object","properties":{"port":{"type":"string"}}},
      "annotations":{"readOnlyHint":true}}]}' ;;
    *tools/call*) answer='"result":{"content":[{"type":"text","text":"at 14:07"}]}' ;;
    *) continue ;;
  esac
  echo "{\"jsonrpc\":\"2.0\",\"id\":$id,$answer}" | tr -d '\n' && echo
done
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // It has all rights of this process; `legwork::mcp::Confined` has those of a sandbox.
    let program = Program::unconfined("sh").arg("-c").arg(SERVER).env("PATH", "/usr/bin:/bin");
    // What it says of its tools is believed: this one only reads.
    let tides = Server::new("tides", program).trusted();
    let seen = tides.look().await?;
    for tool in &seen.tools {
        println!("{}: {} ({:?})", tool.name, tool.description, tool.effect);
    }
    let asks = [
        Line::call("tides_high_water", json!({"port": "Dover"})),
        Line::text("At seven past two."),
    ];
    let agent = Agent::builder(NoModel).driver(Scripted::new(asks)).toolset(tides).build()?;
    let run = agent.run("When is high water in Dover?").await?;
    for result in run.state().step_results().flat_map(|result| result.step.tool_executions()) {
        println!("the server says: {}", result.outcome.to_text());
    }
    println!("{}", run.text());
    Ok(())
}

//! The client of the conformance suite of the Model Context Protocol (`cargo xtask mcp`).
//!
//! The suite starts a server, and this program with its address; the scenario stands in
//! `MCP_CONFORMANCE_SCENARIO`, what it needs in `MCP_CONFORMANCE_CONTEXT`. An agent whose model is
//! a script calls the tools of the server, as any agent does.

use std::env;
use std::error::Error;

use legwork_agent::Agent;
use legwork_agent::driver::{Line, NoModel, Scripted};
use legwork_core::ToolSpec;
use legwork_mcp::{Endpoint, Seen, Server};
use serde_json::{Map, Value, json};

type Call = (String, Value);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().next_back().unwrap_or_default();
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let server = Server::new("suite", Endpoint::new(&url)?);
    let seen = server.look().await?;
    let lines = calls(&scenario, &seen)?;
    let lines = lines.into_iter().map(|(name, arguments)| Line::call(name, arguments));
    let script = Scripted::new(lines.chain([Line::text("Done.")]));
    let agent = Agent::builder(NoModel).driver(script).toolset(server).build()?;
    agent.run("Play the scenario.").await?;
    Ok(())
}

/// The calls of a scenario, by the names that a model is shown.
fn calls(scenario: &str, seen: &Seen) -> Result<Vec<Call>, Box<dyn Error>> {
    Ok(match scenario {
        "initialize" => Vec::new(),
        "http-custom-headers" => given(seen)?,
        _ => seen.tools.iter().map(|tool| (tool.name.to_string(), arguments(tool))).collect(),
    })
}

/// The calls that the suite names.
fn given(seen: &Seen) -> Result<Vec<Call>, Box<dyn Error>> {
    let context: Value = serde_json::from_str(&env::var("MCP_CONFORMANCE_CONTEXT")?)?;
    let calls = context["toolCalls"].as_array().cloned().unwrap_or_default();
    let calls = calls.into_iter().map(|call| {
        let is = |tool: &&std::sync::Arc<ToolSpec>| {
            tool.metadata.get("mcp").is_some_and(|origin| origin["tool"] == call["name"])
        };
        let name = seen.tools.iter().find(is).map_or("none", |tool| &*tool.name);
        let mut arguments = call["arguments"].clone();
        // What the schema does not allow to be null is left out instead.
        if let Some(fields) = arguments.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
        (name.to_owned(), arguments)
    });
    Ok(calls.collect())
}

/// Arguments that fit a tool: a value for each one that it requires.
fn arguments(tool: &ToolSpec) -> Value {
    let required = tool.parameters["required"].as_array().into_iter().flatten();
    let of = |name: &str| match tool.parameters["properties"][name]["type"].as_str() {
        Some("number" | "integer") => json!(3),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("so"),
    };
    let named = required.filter_map(Value::as_str).map(|name| (name.to_owned(), of(name)));
    Value::Object(named.collect::<Map<_, _>>())
}

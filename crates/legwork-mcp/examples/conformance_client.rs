//! The client of the conformance suite of the Model Context Protocol (`cargo xtask mcp`).
//!
//! The suite starts a server, and this program with its address; the scenario stands in
//! `MCP_CONFORMANCE_SCENARIO`, what it needs in `MCP_CONFORMANCE_CONTEXT`. An agent whose model is
//! a script calls the tools of the server, as any agent does.
#![allow(clippy::indexing_slicing, reason = "an index of JSON gives null where there is nothing")]

use std::env;
use std::error::Error;

use legwork_agent::Agent;
use legwork_agent::driver::{Line, NoModel, Scripted};
use legwork_agent::form::{Form, Kind};
use legwork_core::inbox::Answer;
use legwork_core::state::Pending;
use legwork_core::{AgentState, ToolOutcome, ToolSpec};
use legwork_mcp::oauth::{Browser, FileStore, Login};
use legwork_mcp::{Endpoint, Seen, Server};
use legwork_port::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

type Call = (String, Value);
type Failed = Box<dyn Error>;

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let url = env::args().next_back().unwrap_or_default();
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let endpoint = Endpoint::new(&url)?;
    match scenario.starts_with("auth/") {
        true => logged_in(endpoint, &scenario).await,
        false => play(&endpoint, &scenario).await.map(drop),
    }
}

/// Calls the tools of a scenario; whether all calls succeeded.
async fn play(endpoint: &Endpoint, scenario: &str) -> Result<bool, Failed> {
    let server = Server::new("suite", endpoint.clone());
    let seen = server.look().await?;
    let lines = calls(scenario, &seen)?;
    let lines = lines.into_iter().map(|(name, arguments)| Line::call(name, arguments));
    let script = Scripted::new(lines.chain([Line::text("Done.")]));
    let agent = Agent::builder(NoModel).driver(script).toolset(server).approver(person).build()?;
    let run = agent.run("Play the scenario.").await?;
    let mut calls = run.state().step_results().flat_map(|result| result.step.tool_executions());
    Ok(!calls.any(|call| matches!(*call.outcome, ToolOutcome::Failed(..))))
}

/// A person who leaves each field of a form as it is, and writes something where they must.
async fn person(pending: Pending, _: AgentState) -> Option<Answer> {
    let form = Form::of(&pending)?;
    let open = form.fields.iter().filter(|field| field.is_required && field.default.is_none());
    let written = open.map(|field| {
        let value = match &field.kind {
            Kind::Boolean => json!(true),
            Kind::Number { .. } => json!(3),
            Kind::One(choices) => json!(choices.first().map(|choice| &choice.value)),
            Kind::Many(_) => json!([]),
            _ => json!("so"),
        };
        (field.name.clone(), value)
    });
    form.answer(&pending, written.collect()).ok()
}

/// Logs in, and again where the server asks for more, and plays the scenario twice.
async fn logged_in(endpoint: Endpoint, scenario: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let login = login(FileStore::new(folder.path().join("tokens/suite.json")), scenario)?;
    let endpoint = endpoint.authorized(login);
    for _ in 0..3 {
        endpoint.log_in(&Headless).await?;
        let mut plays = 0;
        while plays < 2 && play(&endpoint, scenario).await.unwrap_or(false) {
            plays += 1;
        }
        if plays == 2 {
            return Ok(());
        }
    }
    Err("the server refuses what was granted".into())
}

/// Who we are to the authorization server of a scenario.
fn login(tokens: FileStore, scenario: &str) -> Result<Login, Failed> {
    let login = Login::new(tokens);
    Ok(match scenario {
        "auth/basic-cimd" => {
            login.client_document("https://conformance-test.local/client-metadata.json")
        }
        "auth/pre-registration" => {
            let context: Value = serde_json::from_str(&env::var("MCP_CONFORMANCE_CONTEXT")?)?;
            let text = |key: &str| context[key].as_str().unwrap_or_default().to_owned();
            let login = login.confidential_client(text("client_id"), text("client_secret"));
            match text("issuer") {
                issuer if issuer.is_empty() => login,
                issuer => login.issuer(issuer),
            }
        }
        _ => login,
    })
}

/// A browser whose person grants everything at once.
struct Headless;

impl Browser for Headless {
    fn redirect_uri(&self) -> String {
        "http://localhost:3000/callback".to_owned()
    }

    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<String, legwork_mcp::Error>> {
        Box::pin(async move {
            let answer = get(url).await;
            let answer = answer.map_err(|why| legwork_mcp::Error::Unreachable(why.to_string()))?;
            let lines = answer.lines().filter_map(|line| line.split_once(": "));
            let mut lines = lines.filter(|(name, _)| name.eq_ignore_ascii_case("location"));
            let location = lines.next().map(|(_, location)| location.trim().to_owned());
            location.ok_or_else(|| legwork_mcp::Error::Unreachable(answer.clone()))
        })
    }
}

/// The head of the answer to a request.
async fn get(url: &str) -> Result<String, Failed> {
    let rest = url.strip_prefix("http://").ok_or("it is not an address of HTTP")?;
    let (host, path) = rest.split_once('/').ok_or("it has no path")?;
    let mut stream = TcpStream::connect(host).await?;
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// The calls of a scenario, by the names that a model is shown.
fn calls(scenario: &str, seen: &Seen) -> Result<Vec<Call>, Failed> {
    Ok(match scenario {
        "initialize" => Vec::new(),
        "http-custom-headers" => given(seen)?,
        _ => seen.tools.iter().map(|tool| (tool.name.to_string(), arguments(tool))).collect(),
    })
}

/// The calls that the suite names.
fn given(seen: &Seen) -> Result<Vec<Call>, Failed> {
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

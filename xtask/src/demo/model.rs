//! Which model the demo uses.

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::{cargo, http, local_model};

/// What the person asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// The configured model, else a server on loopback, else the scripted one.
    WhatIsThere,
    Scripted,
    Local,
}

/// Servers that people run on their own machine, and where.
const LOOPBACK: &[(&str, u16)] =
    &[("Ollama", 11434), ("llama.cpp", 8080), ("LM Studio", 1234), ("vLLM", 8000)];

/// A model, and the server that lives as long as the demo needs it.
pub(super) struct Model {
    /// As `--model` takes it.
    pub(super) name: String,
    /// As `--base-url` takes it; none is the provider's own.
    pub(super) base_url: Option<String>,
    /// Which it is, for the person who watches.
    pub(super) description: String,
    /// The key to send instead of the one of the environment.
    pub(super) key: Option<&'static str>,
    _server: Option<Server>,
}

/// For servers that take any key: the person's own is not theirs to see.
const ANY_KEY: &str = "none";

/// Held for its end: dropping it ends the process.
enum Server {
    Local { _held: local_model::Server },
    Scripted { _held: Scripted },
}

struct Scripted {
    child: Child,
}

impl Drop for Scripted {
    fn drop(&mut self) {
        // It may have ended by itself; there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn choose(choice: Choice) -> Result<Model, String> {
    match choice {
        Choice::Scripted => scripted(),
        Choice::Local => local(),
        Choice::WhatIsThere => match configured().or_else(on_loopback) {
            Some(model) => Ok(model),
            None => scripted(),
        },
    }
}

/// The model that the environment names, as the `legwork` command reads it.
fn configured() -> Option<Model> {
    let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let base_url = set("OPENAI_BASE_URL");
    let key = set("OPENAI_API_KEY");
    if base_url.is_none() && key.is_none() {
        return None;
    }
    let name = set("LEGWORK_MODEL").unwrap_or_else(|| "gpt-5-mini".to_owned());
    let at = base_url.as_deref().unwrap_or("the provider's own address");
    let description = format!("{name} at {at}, as configured");
    // A server may take none, and the command wants one.
    let key = key.is_none().then_some(ANY_KEY);
    Some(Model { key, ..model(&name, base_url, description, None) })
}

fn on_loopback() -> Option<Model> {
    LOOPBACK.iter().find_map(|(server, port)| {
        let name = http::first_model(*port)?;
        let base_url = format!("http://127.0.0.1:{port}/v1");
        let description = format!("{name} on {server} at {base_url}, found running");
        Some(model(&name, Some(base_url), description, None))
    })
}

fn local() -> Result<Model, String> {
    let server = local_model::start()?;
    let name = local_model::NAME;
    let base_url = server.base_url.clone();
    let description = format!("{name}, a small open model, on llama.cpp at {base_url}");
    let server = Server::Local { _held: server };
    Ok(model(name, Some(base_url), description, Some(server)))
}

/// The test kit's scripted model, behind real HTTP in a process of its own.
fn scripted() -> Result<Model, String> {
    let program = cargo::build(&["--package", "xtask", "--example", "scripted_model"])?;
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start the scripted model: {error}"))?;
    let out = child.stdout.take();
    let server = Scripted { child };
    let mut base_url = String::new();
    if let Some(out) = out {
        BufReader::new(out)
            .read_line(&mut base_url)
            .map_err(|error| format!("cannot read from the scripted model: {error}"))?;
    }
    let base_url = base_url.trim().to_owned();
    if base_url.is_empty() {
        return Err("the scripted model ended before it told its address".to_owned());
    }
    let description = format!("the test kit's scripted model over HTTP at {base_url}");
    let server = Server::Scripted { _held: server };
    Ok(model("scripted", Some(base_url), description, Some(server)))
}

fn model(
    name: &str,
    base_url: Option<String>,
    description: String,
    server: Option<Server>,
) -> Model {
    // A name may hold colons (`llama3:8b`), so only our provider's own prefix counts.
    let name = name.strip_prefix("openai:").unwrap_or(name);
    Model {
        name: format!("openai:{name}"),
        base_url,
        description,
        key: Some(ANY_KEY),
        _server: server,
    }
}

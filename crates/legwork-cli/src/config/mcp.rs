//! Servers of the Model Context Protocol: the tables `[mcp.NAME]`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use legwork::mcp::{Endpoint, is_server_name};
use serde_json::{Value, json};
use toml::de::DeValue;

use super::credential::KeySource;
use super::document::{SEE_KEYS, Whose};
use super::item::Item;
use super::key::OF_MCP;
use super::parse::{clipped, in_order, item};
use super::tables::{entries, key_source};
use super::values::At;
use crate::error::Error;

/// What an entry of `env` or `headers` is.
const GIVEN: &str = "text, or a table such as { env = \"MY_TOKEN\" }";

/// A server whose tools the agent has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct McpServer {
    pub(crate) reach: Reach,
    /// Whether what it says of the effects of its tools counts.
    pub(crate) trusted: bool,
    /// The only tools that are wanted, by their names on the server; none = all.
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) except: Vec<String>,
    /// Whether its resources and prompts are tools, too.
    pub(crate) resources: bool,
    /// Whether it may ask the model of the session.
    pub(crate) sampling: bool,
    /// How long a call may take.
    pub(crate) timeout: Option<Duration>,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It is a program that is started.
    Program { command: Vec<String>, env: BTreeMap<String, Given> },
    /// It runs elsewhere.
    Url { url: String, transport: Transport, headers: BTreeMap<String, Given>, client: Client },
}

/// How messages travel to a server that runs elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Transport {
    /// Streamable HTTP.
    #[default]
    Http,
    /// HTTP with SSE, of servers of before 2025.
    Sse,
}

/// Who we are to the authorization server of a server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Client {
    /// The id that it knows us by; none if it gives one.
    pub(crate) id: Option<String>,
    pub(crate) secret: Option<Given>,
    /// Scopes to ask for, in addition to those that the server names.
    pub(crate) scopes: Vec<String>,
}

/// A value, or where it is fetched when it is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Given {
    Text(String),
    From(KeySource),
}

impl McpServer {
    /// What it is, in a few words: the command, or the address.
    pub(crate) fn target(&self) -> String {
        match &self.reach {
            Reach::Program { command, .. } => command.join(" "),
            Reach::Url { url, .. } => url.clone(),
        }
    }

    /// What is said, by key; no value of a variable or a header is shown.
    pub(crate) fn listed(&self) -> Vec<(&'static str, Value)> {
        let names = |given: &BTreeMap<String, Given>| json!(given.keys().collect::<Vec<_>>());
        let mut listed = match &self.reach {
            Reach::Program { command, env } => {
                vec![("command", json!(command)), ("env", names(env))]
            }
            Reach::Url { url, transport, headers, client } => vec![
                ("url", json!(url)),
                ("transport", json!((*transport == Transport::Sse).then_some("sse"))),
                ("headers", names(headers)),
                ("client_id", json!(client.id)),
                ("scopes", json!(client.scopes)),
            ],
        };
        listed.retain(|(_, value)| {
            !value.is_null() && value.as_array().is_none_or(|names| !names.is_empty())
        });
        listed.extend(self.trusted.then_some(("trusted", json!(true))));
        listed.extend(self.tools.as_ref().map(|tools| ("tools", json!(tools))));
        listed.extend((!self.except.is_empty()).then(|| ("except", json!(self.except))));
        listed.extend(self.resources.then_some(("resources", json!(true))));
        listed.extend(self.sampling.then_some(("sampling", json!(true))));
        let timeout = self.timeout.map(super::in_words);
        listed.extend(timeout.map(|timeout| ("timeout", json!(timeout))));
        listed
    }

    /// The files that hold what it is given.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let (given, secret) = match &self.reach {
            Reach::Program { env, .. } => (env, None),
            Reach::Url { headers, client, .. } => (headers, client.secret.as_ref()),
        };
        given.values().chain(secret).filter_map(|given| match given {
            Given::From(KeySource::File(path)) => Some(path.clone()),
            _ => None,
        })
    }
}

/// The servers of a table `[mcp]`.
pub(super) fn mcp(outer: &Item<'_>) -> Result<BTreeMap<String, At<McpServer>>, Error> {
    let mut all = BTreeMap::new();
    for (name, value) in in_order(outer.table()?) {
        let whole = format!("{}.{}", outer.name, clipped(name.get_ref()));
        if !is_server_name(name.get_ref()) {
            let message = format!(
                "`{whole}` cannot be the name of a server: it has 1 to 32 letters, digits, `_` and `-`"
            );
            return Err(outer.document.problem(&name.span(), &message, SEE_KEYS));
        }
        let line = outer.document.line(name.span().start);
        let table = item(outer.document, whole, value, outer.expects);
        all.insert(name.get_ref().clone().into_owned(), At { value: server(&table)?, line });
    }
    Ok(all)
}

/// What a table says of how a server is reached.
#[derive(Default)]
struct Means {
    command: Option<Vec<String>>,
    env: BTreeMap<String, Given>,
    url: Option<String>,
    transport: Option<Transport>,
    headers: BTreeMap<String, Given>,
    client: Client,
}

/// The parts of a table as they are read.
#[derive(Default)]
struct Parts {
    means: Means,
    trusted: bool,
    tools: Option<Vec<String>>,
    except: Vec<String>,
    resources: bool,
    sampling: bool,
    timeout: Option<Duration>,
}

fn server(table: &Item<'_>) -> Result<McpServer, Error> {
    let mut parts = Parts::default();
    for entry in entries(table, &OF_MCP)? {
        let whole = Item { name: format!("{}.{}", table.name, entry.name), ..entry };
        of_project(&whole)?;
        set(&mut parts, &whole)?;
    }
    let Parts { means, trusted, tools, except, resources, sampling, timeout } = parts;
    let reach = reach(table, means)?;
    Ok(McpServer { reach, trusted, tools, except, resources, sampling, timeout })
}

fn reach(table: &Item<'_>, means: Means) -> Result<Reach, Error> {
    let Means { command, env, url, transport, headers, client } = means;
    Ok(match (command, url) {
        (Some(_), None) if client != Client::default() => {
            return Err(table
                .problem("has `client_id`, `client_secret` or `scopes`, which are for a `url`"));
        }
        (Some(_), None) if transport.is_some() => {
            return Err(table.problem("has `transport`, which is for a `url`"));
        }
        (Some(command), None) if headers.is_empty() => Reach::Program { command, env },
        (None, Some(_)) if client.secret.is_some() && client.id.is_none() => {
            return Err(table.problem("has `client_secret` without `client_id`"));
        }
        (None, Some(url)) if env.is_empty() => {
            Reach::Url { url, transport: transport.unwrap_or_default(), headers, client }
        }
        (Some(_), None) => return Err(table.problem("has `headers`, which a command has none of")),
        (None, Some(_)) => return Err(table.problem("has `env`, which is for a `command`")),
        _ => return Err(table.problem("must have exactly one of `command` and `url`")),
    })
}

/// What a project may not say of a server: it may start a program in the sandbox, and no more.
fn of_project(entry: &Item<'_>) -> Result<(), Error> {
    let why = match entry.name.rsplit('.').next().unwrap_or_default() {
        "url" | "transport" | "headers" | "client_id" | "client_secret" | "scopes" => {
            "it could let the agent send away what it reads"
        }
        "trusted" => "it could have calls repeated that may run only once",
        "sampling" => "it could spend what your model costs on work of its own",
        _ => return Ok(()),
    };
    match entry.document.whose {
        Whose::Project => Err(entry.problem(&format!(
            "cannot be set in a project's file, which a repository brings or an agent writes: {why}"
        ))),
        _ => Ok(()),
    }
}

fn set(parts: &mut Parts, entry: &Item<'_>) -> Result<(), Error> {
    let expecting = |expects: &'static str| Item {
        name: entry.name.clone(),
        at: entry.at.clone(),
        expects,
        ..*entry
    };
    match entry.name.rsplit('.').next().unwrap_or_default() {
        "command" => {
            let command = words(&expecting("a list such as [\"mcp-server\", \"--flag\"]"))?;
            if command.is_empty() {
                return Err(entry.problem("is empty"));
            }
            parts.means.command = Some(command);
        }
        "env" => parts.means.env = given(&expecting("a table of variables"))?,
        "url" => {
            let url = entry.text()?;
            Endpoint::new(url).map_err(|error| entry.problem(&format!("is wrong: {error}")))?;
            parts.means.url = Some(url.to_owned());
        }
        "transport" => {
            parts.means.transport = Some(match entry.text()? {
                "http" => Transport::Http,
                "sse" => Transport::Sse,
                _ => return Err(entry.problem("must be \"http\" or \"sse\"")),
            });
        }
        "headers" => parts.means.headers = given(&expecting("a table of headers"))?,
        "trusted" => parts.trusted = flag(&expecting("true or false"))?,
        "resources" => parts.resources = flag(&expecting("true or false"))?,
        "sampling" => parts.sampling = flag(&expecting("true or false"))?,
        "client_id" => parts.means.client.id = Some(entry.text()?.to_owned()),
        "client_secret" => parts.means.client.secret = Some(one_given(&expecting(GIVEN))?),
        "scopes" => parts.means.client.scopes = words(&expecting("a list of scopes"))?,
        "tools" => parts.tools = Some(words(&expecting("a list of names of tools"))?),
        "except" => parts.except = words(&expecting("a list of names of tools"))?,
        _ => {
            let expects = "a length of time above 0 as text, such as \"5m\"";
            parts.timeout = Some(expecting(expects).time_limit()?);
        }
    }
    Ok(())
}

fn flag(item: &Item<'_>) -> Result<bool, Error> {
    match item.value {
        DeValue::Boolean(flag) => Ok(*flag),
        _ => Err(item.wrong()),
    }
}

fn words(item: &Item<'_>) -> Result<Vec<String>, Error> {
    item.texts()?.iter().map(|word| Ok(word.text()?.to_owned())).collect()
}

/// Variables or headers, and what they are given.
fn given(outer: &Item<'_>) -> Result<BTreeMap<String, Given>, Error> {
    let mut all = BTreeMap::new();
    for (name, value) in in_order(outer.table()?) {
        let whole = format!("{}.{}", outer.name, clipped(name.get_ref()));
        let one = item(outer.document, whole, value, GIVEN);
        all.insert(name.get_ref().clone().into_owned(), one_given(&one)?);
    }
    Ok(all)
}

fn one_given(item: &Item<'_>) -> Result<Given, Error> {
    match item.value {
        DeValue::String(_) => Ok(Given::Text(item.text()?.to_owned())),
        _ => source(item).map(Given::From),
    }
}

/// Where a value is fetched; a project's file names no secret of the user.
fn source(table: &Item<'_>) -> Result<KeySource, Error> {
    if table.document.whose == Whose::Project {
        return Err(table.problem("must be text in a project's file: it names no secrets of yours"));
    }
    let entries = entries(table, &super::key::OF_KEYS)?;
    let [entry] = entries.as_slice() else {
        return Err(table.problem("must have exactly one of `env`, `file` and `command`"));
    };
    key_source(&table.name, entry)
}

//! The servers of the Model Context Protocol that the command's agent has.

use std::collections::BTreeMap;
use std::path::PathBuf;

use legwork::agent::toolset::{Decorated, ToolsetExt as _};
use legwork::mcp::oauth::{FileStore, Login};
use legwork::mcp::{Confined, Endpoint, Server};
use legwork::tools::Program;

use crate::config::{Client, Config, Credential, Given, McpServer, Reach, Source, Sourced};
use crate::error::Error;
use crate::sandbox::Place;
use crate::settings::Settings;

/// The header that carries credentials.
const AUTHORIZATION: &str = "authorization";

/// A server that is ready to be connected to.
pub(crate) struct Ready {
    pub(crate) server: Server,
    /// What it is given that nobody may read.
    pub(crate) secrets: Vec<String>,
}

/// The server of the settings, with the secrets that it is given, which are fetched.
///
/// # Errors
/// When a secret cannot be had, or HTTP has no such header.
pub(crate) async fn ready(
    name: &str,
    server: &Sourced<McpServer>,
    settings: &Settings,
    place: &Place,
) -> Result<Ready, Error> {
    let mut fetched = Fetched { name, source: &server.source, settings, secrets: Vec::new() };
    let made = match &server.value.reach {
        Reach::Program { command, env } => {
            program(name, command, &fetched.all("env", env).await?, place)
        }
        Reach::Url { url, headers, client } => {
            Server::new(name, fetched.endpoint(url, headers, client).await?)
        }
    };
    Ok(Ready { server: set(made, &server.value), secrets: fetched.secrets })
}

/// The address of a server of the settings, to log in to it; none if it is a program.
///
/// # Errors
/// As [`ready`].
pub(crate) async fn endpoint(
    name: &str,
    server: &Sourced<McpServer>,
    settings: &Settings,
) -> Result<Option<Endpoint>, Error> {
    let Reach::Url { url, headers, client } = &server.value.reach else { return Ok(None) };
    let mut fetched = Fetched { name, source: &server.source, settings, secrets: Vec::new() };
    fetched.endpoint(url, headers, client).await.map(Some)
}

/// The file of the tokens of a server; none if there is no place for it.
fn tokens(name: &str) -> Option<PathBuf> {
    Some(crate::store_address::home()?.join("mcp").join(format!("{name}.json")))
}

/// What a server is given, fetched one by one.
struct Fetched<'a> {
    name: &'a str,
    source: &'a Source,
    settings: &'a Settings,
    secrets: Vec<String>,
}

impl Fetched<'_> {
    async fn all(
        &mut self,
        table: &str,
        given: &BTreeMap<String, Given>,
    ) -> Result<BTreeMap<String, String>, Error> {
        let mut all = BTreeMap::new();
        for (key, given) in given {
            all.insert(key.clone(), self.one(&format!("{table}.{key}"), given).await?);
        }
        Ok(all)
    }

    async fn one(&mut self, key: &str, given: &Given) -> Result<String, Error> {
        let from = match given {
            Given::Text(text) => return Ok(text.clone()),
            Given::From(from) => Sourced::new(from.clone(), self.source.clone()),
        };
        let provider = format!("mcp.{}.{key}", self.name);
        let fetched = Credential { provider, from }.fetch(&self.settings.writable()).await?;
        self.secrets.push(fetched.expose().to_owned());
        Ok(fetched.expose().to_owned())
    }

    async fn endpoint(
        &mut self,
        url: &str,
        headers: &BTreeMap<String, Given>,
        client: &Client,
    ) -> Result<Endpoint, Error> {
        let headers = self.all("headers", headers).await?;
        let secret = match &client.secret {
            Some(secret) => Some(self.one("client_secret", secret).await?),
            None => None,
        };
        let endpoint = with_headers(self.name, url, &headers, self.source)?;
        let has_own = headers.keys().any(|name| name.eq_ignore_ascii_case(AUTHORIZATION));
        let Some(tokens) = tokens(self.name).filter(|_| !has_own) else { return Ok(endpoint) };
        let login = Login::new(FileStore::new(tokens)).name("Legwork");
        let login = match (&client.id, secret) {
            (Some(id), Some(secret)) => login.confidential_client(id, secret),
            (Some(id), None) => login.client(id),
            (None, _) => login,
        };
        Ok(endpoint.authorized(client.scopes.iter().fold(login, Login::scope)))
    }
}

/// A program, confined as commands are.
fn program(
    name: &str,
    command: &[String],
    variables: &BTreeMap<String, String>,
    place: &Place,
) -> Server {
    let Place { workspace, environment, sandbox, limits } = place;
    let (workspace, environment) = (workspace.clone(), environment.clone());
    let (own, arguments) = command.split_first().map_or(("", command), |(own, rest)| (own, rest));
    let program = Program::new(workspace, environment, sandbox.clone(), own);
    let program = program.with_arguments(arguments).with_limits(*limits);
    let variables = variables.iter();
    let program = variables.fold(program, |all, (name, value)| all.with_variable(name, value));
    Server::new(name, Confined::new(command.join(" "), program))
}

fn with_headers(
    name: &str,
    url: &str,
    headers: &BTreeMap<String, String>,
    source: &Source,
) -> Result<Endpoint, Error> {
    let wrong = |error: legwork::mcp::Error| {
        let hint = format!("set [mcp.{name}] right ({source})");
        Error::usage(format!("the MCP server `{name}` cannot be reached: {error}"), hint)
    };
    headers.iter().try_fold(Endpoint::new(url).map_err(wrong)?, |all, (header, value)| {
        // A token alone is one of a bearer, which is what nearly all servers take.
        let is_token = header.eq_ignore_ascii_case(AUTHORIZATION) && !value.contains(' ');
        let value = if is_token { &format!("Bearer {value}") } else { value };
        all.header(header, value).map_err(wrong)
    })
}

fn set(server: Server, settings: &McpServer) -> Server {
    let server = if settings.trusted { server.trusted() } else { server };
    let server = if settings.resources { server.resources_and_prompts() } else { server };
    let server = settings.tools.iter().fold(server, |server, tools| server.only(tools));
    let server = server.except(&settings.except);
    settings.timeout.iter().fold(server, |server, limit| server.timeout(*limit))
}

/// Whether a tool of this name can be one of a server.
pub(crate) fn is_tool<'s>(name: &str, mut servers: impl Iterator<Item = &'s String>) -> bool {
    servers
        .any(|server| name.strip_prefix(server.as_str()).is_some_and(|tool| tool.starts_with('_')))
}

impl Place {
    /// The tools of all servers of the settings, to be asked about as those of the command are,
    /// and the secrets that the servers are given. A server that cannot be used is left out with
    /// a warning.
    pub(crate) async fn servers(
        &self,
        settings: &Settings,
        warn: impl Fn(String),
    ) -> (Vec<Decorated>, Vec<String>) {
        let (mut all, mut secrets) = (Vec::new(), Vec::new());
        for (name, server) in &settings.mcp {
            match ready(name, server, settings, self).await {
                Ok(ready) => {
                    all.push(decorated(ready.server, settings));
                    secrets.extend(ready.secrets);
                }
                Err(error) => warn(format!("the MCP server {name} is left out: {error}")),
            }
        }
        (all, secrets)
    }
}

/// The tools of a server that are wanted, each asked about as the settings say.
fn decorated(server: Server, settings: &Settings) -> Decorated {
    let asked = server.permissions(settings.asking.of_servers());
    let Some(only) = settings.mcp_tools.clone() else { return asked };
    asked.filtered(move |spec, _| only.iter().any(|name| **name == *spec.name))
}

/// The servers of the files, by name; warns of those of a project that have the name of one of
/// the user's.
pub(crate) fn of(config: &Config) -> (BTreeMap<String, Sourced<McpServer>>, Vec<String>) {
    let (mut all, mut warnings) = (config.project_mcp(), Vec::new());
    for (name, own) in config.own_mcp() {
        if let Some(project) = all.insert(name.clone(), own.clone()) {
            warnings.push(format!(
                "the MCP server {name} in {} is not used: you have one of that name in {}",
                project.source, own.source
            ));
        }
    }
    (all, warnings)
}

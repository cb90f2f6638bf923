//! The servers of the Model Context Protocol that the command's agent has, and the one that it is.

mod fetched;
mod served;
mod servers;

use std::collections::BTreeMap;

use legwork::agent::toolset::{Decorated, ToolsetExt as _};
use legwork::core::Mask;
use legwork::mcp::{Confined, Endpoint, Server};
use legwork::tools::Program;

use self::fetched::Fetched;
pub(crate) use self::served::Served;
pub(crate) use self::servers::Servers;
use crate::config::{McpServer, Reach, Sourced, Transport};
use crate::error::Error;
use crate::sandbox::Place;
use crate::settings::Settings;

/// A server that is ready to be connected to.
pub(crate) struct Ready {
    pub(crate) server: Server,
    /// What it is given that must not be read.
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
    let mut fetched = Fetched::of(name, &server.source, settings);
    let made = match &server.value.reach {
        Reach::Program { command, env } => {
            program(name, command, &fetched.all("env", env).await?, place)
        }
        Reach::Url { url, transport, headers, client } => {
            let endpoint = fetched.endpoint(url, headers, client).await?;
            Server::new(name, over(endpoint, *transport))
        }
    };
    let made = set(made, &server.value).masking(Mask::of(&fetched.secrets));
    Ok(Ready { server: made, secrets: fetched.secrets })
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
    let Reach::Url { url, transport, headers, client } = &server.value.reach else {
        return Ok(None);
    };
    let mut fetched = Fetched::of(name, &server.source, settings);
    let endpoint = fetched.endpoint(url, headers, client).await?;
    Ok(Some(over(endpoint, *transport)))
}

fn over(endpoint: Endpoint, transport: Transport) -> Endpoint {
    match transport {
        Transport::Http => endpoint,
        Transport::Sse => endpoint.over_sse(),
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

fn set(server: Server, settings: &McpServer) -> Server {
    let server = if settings.trusted { server.trusted() } else { server };
    let server = if settings.resources { server.resources_and_prompts() } else { server };
    let server = if settings.sampling { server.sampling() } else { server };
    let server = settings.tools.iter().fold(server, |server, tools| server.only(tools));
    let server = server.except(&settings.except);
    settings.timeout.iter().fold(server, |server, limit| server.timeout(*limit))
}

impl Place {
    /// The tools of the servers that the agent has, to be asked about as those of the command are,
    /// and the secrets that the servers are given. A server that cannot be used is left out with
    /// a warning.
    pub(crate) async fn servers(
        &self,
        settings: &Settings,
        warn: impl Fn(String),
    ) -> (Vec<Decorated>, Vec<String>) {
        let (mut all, mut secrets) = (Vec::new(), Vec::new());
        for (name, server) in settings.mcp.of_agent(settings.agent.as_ref()) {
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
    let Some(only) = settings.mcp.only.clone() else { return asked };
    asked.filtered(move |spec, _| only.iter().any(|name| **name == *spec.name))
}

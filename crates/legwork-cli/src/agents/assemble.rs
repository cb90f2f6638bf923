//! From the chosen agent to a builder.

use std::sync::Arc;

use legwork::Agent;
use legwork::agent::Builder;
use legwork::capability::{Capability, Registry};
use legwork::definition::{AgentDefinition, Limits, Parts, Problems};
use legwork::port::{Model, Tool};
use serde_json::Value;

use super::models::{self, Models};
use super::{Agents, Chosen};
use crate::error::Error;
use crate::mcp::Servers;
use crate::settings::Settings;
use crate::toolset;

/// The capabilities that give an agent nothing that a person might not want it to have.
const OPEN_NOTHING: [&str; 3] = ["history", "system_prompt", "tasks"];

/// What the command has for agents of files.
pub(crate) fn parts(agents: &Agents, servers: &Servers) -> Parts {
    let of_servers = agents.named_tools().filter(|name| servers.may_have(name));
    Parts::new(agents.definitions.clone())
        .skills(agents.skills.clone())
        .known_tools(toolset::NAMES)
        .known_tools(of_servers)
        .known_mcp_servers(servers.names())
        .capabilities(capability)
}

/// The capability of a name, if it is one that opens nothing: tools, limits and the session's
/// metadata are the command's to give, whoever wrote the definition.
fn capability(name: &str, settings: Option<&Value>) -> Result<Arc<dyn Capability>, String> {
    if !OPEN_NOTHING.contains(&name) {
        let all = OPEN_NOTHING.join(", ");
        return Err(format!(
            "this command gives an agent its tools and limits itself, and of capabilities only {all}"
        ));
    }
    let made = Registry::shipped().make(name, settings.unwrap_or(&Value::Null));
    made.map_err(|error| error.to_string())
}

/// Builds the chosen agent: its own model is the one of the settings, its tools are those of
/// the command, and each agent is told where it works. Its MCP servers are not among its parts:
/// only those that it has are made ready ([`Servers::of_agent`]).
///
/// # Errors
/// When something that it names is not there.
pub(crate) async fn assemble(
    chosen: &Chosen,
    settings: &Settings,
    model: impl Model + 'static,
    tools: Vec<Arc<dyn Tool>>,
    tell: impl Fn(&str) -> String,
    warn: impl Fn(String),
) -> Result<Builder, Error> {
    let mut agents = chosen.agents.clone();
    for other in agents.definitions.values_mut() {
        other.instructions = tell(&other.instructions);
    }
    let models: Models = models::make(&chosen.others, &warn).await;
    let parts = parts(&agents, &settings.mcp).tools(tools).budget(settings.own_budget());
    let parts = parts.models(move |name| {
        let known = models.get(name).cloned();
        known.unwrap_or_else(|| Err("it was not there when the session began".to_owned()))
    });
    let mut found = chosen.found.clone();
    found.value.instructions = tell(&found.value.instructions);
    // What it says of them is in the settings, as far as it counts.
    (found.value.model, found.value.limits) = (None, Limits::default());
    let problems = parts.check(&found).into_iter().filter(|problem| !problem.is_error());
    problems.for_each(|problem| warn(problem.to_string()));
    if found.value.allows(legwork::agent::subagent::TOOL) {
        let others = agents.definitions.iter().filter(|(name, _)| *name != found.value.name);
        for (_, other) in others {
            if let Err(problems) = parts.subagent(other) {
                let errors = problems.iter().filter(|problem| problem.is_error());
                errors.for_each(|problem| warn(problem.to_string()));
            }
        }
    }
    let builder = parts.install(&found, Agent::builder(model));
    builder.map_err(|problems| wrong(&found.value, &problems))
}

/// The error of an agent that cannot be used.
fn wrong(definition: &AgentDefinition, problems: &Problems) -> Error {
    let all: Vec<_> = problems.iter().filter(|problem| problem.is_error()).collect();
    let first = all.first().map(ToString::to_string).unwrap_or_default();
    let more = match all.len() {
        0 | 1 => String::new(),
        all => format!(" (and {} more)", all - 1),
    };
    let message = format!("the agent `{}` cannot be used: {first}{more}", definition.name);
    Error::usage(message, "`legwork agents check` says all that is wrong")
}

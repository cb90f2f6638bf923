//! Which servers there are: the user's, and those of a project that is trusted.

use std::collections::BTreeMap;

use crate::agents::Chosen;
use crate::config::{Config, McpServer, Sourced};
use crate::toolset;
use crate::trust::Trust;

/// The servers of the files.
#[derive(Debug, Clone)]
pub(crate) struct Servers {
    /// By name.
    pub(crate) all: BTreeMap<String, Sourced<McpServer>>,
    /// The only tools that are wanted of them, by the names that a model reads; none = all.
    pub(crate) only: Option<Vec<String>>,
    /// Which are not used, and why.
    pub(crate) warnings: Vec<String>,
}

impl Servers {
    /// Those of the user's file and of the project's, as far as that is used.
    pub(crate) fn of(config: &Config, trust: &Trust, only: Option<Vec<String>>) -> Self {
        let (mut all, mut warnings) = (config.own_mcp(), Vec::new());
        let own: Vec<_> = all.keys().cloned().collect();
        let project = match config.with_project(trust) {
            Ok(config) => config.project_mcp(),
            // It was read, and is right, where a session begins.
            Err(error) => {
                warnings.push(format!("the project's MCP servers are left out: {error}"));
                BTreeMap::new()
            }
        };
        for (name, server) in project {
            match taken(&name, &own) {
                Some(by) => warnings.push(format!(
                    "the MCP server {name} in {} is not used: its name is that of {by}, or its \
                     tools could have the names of that one's",
                    server.source
                )),
                None => drop(all.insert(name, server)),
            }
        }
        Self { all, only, warnings }
    }

    /// The server of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Sourced<McpServer>> {
        self.all.get(name)
    }

    /// Those whose tools an agent has; the command's own has all.
    pub(crate) fn of_agent<'a>(
        &'a self,
        agent: Option<&'a Chosen>,
    ) -> impl Iterator<Item = (&'a str, &'a Sourced<McpServer>)> {
        let all = self.all.iter().map(|(name, server)| (&**name, server));
        all.filter(move |(name, _)| agent.is_none_or(|agent| agent.allows_server(name)))
    }

    /// The names of all.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.keys().map(String::as_str)
    }

    /// Whether a tool of this name can be one of theirs.
    pub(crate) fn may_have(&self, tool: &str) -> bool {
        self.names().any(|server| is_within(tool, server))
    }
}

/// Whether a name is that of a server, `_`, and more.
fn is_within(name: &str, server: &str) -> bool {
    name.strip_prefix(server).is_some_and(|rest| rest.starts_with('_'))
}

/// Whose tools a project's server of this name could be taken for: those of a server of the user,
/// or of the command itself. What a person allowed for these must not run for that one.
fn taken(name: &str, own: &[String]) -> Option<String> {
    let clashes =
        |other: &&String| *other == name || is_within(name, other) || is_within(other, name);
    if let Some(other) = own.iter().find(clashes) {
        return Some(format!("your MCP server {other}"));
    }
    let tool = toolset::NAMES.into_iter().find(|tool| is_within(tool, name))?;
    Some(format!("the tool {tool}"))
}

//! An agent as data.

mod read;
mod schema;
mod write;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::capability::Capability;
use crate::limits::Limits;
pub(crate) use read::{described, is_blank, is_model};

/// An agent as data: what a file says, or what a program puts together.
///
/// It may hold anything until it is written or [checked](Self::check); what was parsed is right.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AgentDefinition {
    /// Its name: a-z, 0-9, `-` and `_`, at most 64.
    pub name: String,
    /// What it is for, told to people and to agents that may hand work to it; 1 to 1024 characters.
    pub description: String,
    /// Its system prompt; may be empty.
    pub instructions: String,
    /// The model, as `provider:name`; none = that of whoever starts it.
    pub model: Option<String>,
    /// The capabilities that it installs, in this order.
    pub capabilities: Vec<Capability>,
    /// The tools that it may have; none = all that are there, an empty list = none at all.
    pub tools: Option<Vec<String>>,
    /// The tools that it has in no case, whatever `tools` says.
    pub denied_tools: Vec<String>,
    /// The MCP servers whose tools it may have; none = all, an empty list = none at all.
    pub mcp: Option<Vec<String>>,
    /// The names of the skills that it knows.
    pub skills: Vec<String>,
    /// What it may use; `budget` in files.
    pub limits: Limits,
    /// Whatever else others want to know of it.
    pub metadata: BTreeMap<String, Value>,
}

impl AgentDefinition {
    /// An agent of this name and for this purpose, with all tools and without limits.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            instructions: String::new(),
            model: None,
            capabilities: Vec::new(),
            tools: None,
            denied_tools: Vec::new(),
            mcp: None,
            skills: Vec::new(),
            limits: Limits::default(),
            metadata: BTreeMap::new(),
        }
    }

    /// The same agent with this system prompt.
    #[must_use]
    pub fn with_instructions(self, instructions: impl Into<String>) -> Self {
        Self { instructions: instructions.into(), ..self }
    }

    /// The same agent with this model, as `provider:name`.
    #[must_use]
    pub fn with_model(self, model: impl Into<String>) -> Self {
        Self { model: Some(model.into()), ..self }
    }

    /// The same agent with one more capability.
    #[must_use]
    pub fn with_capability(mut self, capability: impl Into<Capability>) -> Self {
        self.capabilities.push(capability.into());
        self
    }

    /// The same agent with exactly these tools.
    #[must_use]
    pub fn with_tools<T: Into<String>>(self, tools: impl IntoIterator<Item = T>) -> Self {
        Self { tools: Some(tools.into_iter().map(Into::into).collect()), ..self }
    }

    /// The same agent without these tools, whatever else is said.
    #[must_use]
    pub fn with_denied_tools<T: Into<String>>(self, tools: impl IntoIterator<Item = T>) -> Self {
        Self { denied_tools: tools.into_iter().map(Into::into).collect(), ..self }
    }

    /// The same agent with the tools of exactly these MCP servers.
    #[must_use]
    pub fn with_mcp<S: Into<String>>(self, servers: impl IntoIterator<Item = S>) -> Self {
        Self { mcp: Some(servers.into_iter().map(Into::into).collect()), ..self }
    }

    /// The same agent with these skills.
    #[must_use]
    pub fn with_skills<T: Into<String>>(self, skills: impl IntoIterator<Item = T>) -> Self {
        Self { skills: skills.into_iter().map(Into::into).collect(), ..self }
    }

    /// The same agent with these limits; those of a budget: `Limits::from(&budget)`.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The same agent with one more entry of metadata.
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// Whether it may have a tool, if the tool is there.
    ///
    /// Never one of `denied_tools`; else any if `tools` is none, else only one of those.
    pub fn allows(&self, tool: &str) -> bool {
        let is = |name: &String| name == tool;
        !self.denied_tools.iter().any(is)
            && self.tools.as_ref().is_none_or(|tools| tools.iter().any(is))
    }

    /// Whether it may have the tools of an MCP server, if the server is there.
    ///
    /// Any if `mcp` is none, else only one of those.
    pub fn allows_server(&self, server: &str) -> bool {
        self.mcp.as_ref().is_none_or(|servers| servers.iter().any(|name| name == server))
    }
}

//! What installs itself on a builder.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::{Budget, ToolSpec};
use legwork_port::Tool;
use legwork_port::model::Profile;
use serde_json::Value;

use crate::agent::builder::Builder;

/// A named bundle of tools, hooks, instructions, criteria and settings.
///
/// Capabilities are installed in the order in which a builder is given them.
pub trait Capability: Send + Sync {
    /// Its name; an agent has one of each.
    fn name(&self) -> &str;

    /// What it gives an agent, in a sentence.
    fn about(&self) -> &str;

    /// Installs what needs to know nothing of the rest of the agent.
    fn install(&self, builder: Builder) -> Builder;

    /// Tools that can be made only when the driver and all other tools are known.
    fn tools(&self, agent: &Resolved<'_>) -> Vec<Arc<dyn Tool>> {
        let _ = agent;
        Vec::new()
    }

    /// A section of the system prompt, made when all tools are known; behind the agent's
    /// own instructions, in the order of the capabilities.
    fn section(&self, agent: &Resolved<'_>) -> Option<String> {
        let _ = agent;
        None
    }
}

/// What is known of an agent that is being built.
#[derive(Clone, Copy)]
pub struct Resolved<'a> {
    /// Who works in its sessions.
    pub id: &'a str,
    /// The model as `provider:name`.
    pub model: &'a str,
    /// What the model can do and costs.
    pub profile: &'a Profile,
    /// The driver that makes its steps.
    pub driver: &'a str,
    /// Its tools, those of sources that change left out.
    pub tools: &'a [Arc<ToolSpec>],
    /// Its capabilities, in the order they were installed.
    pub capabilities: &'a [Arc<dyn Capability>],
    /// The limits of an execution.
    pub budget: &'a Budget,
    /// The metadata that its new sessions begin with.
    pub metadata: &'a BTreeMap<String, Value>,
}

impl Resolved<'_> {
    /// Whether it has a tool of this name.
    pub fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| &*tool.name == name)
    }
}

impl std::fmt::Debug for Resolved<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resolved").field("id", &self.id).finish_non_exhaustive()
    }
}

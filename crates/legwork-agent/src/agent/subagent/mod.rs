//! Agents that an agent may spawn: a session of their own, linked to the call that asked.
//!
//! Read the modules in this order: this one (what a subagent is), `build` (the agent that it
//! is), `link` (which session belongs to which), `spawn` (the tool, and what the runtime calls),
//! `turn` (what the subagents of a turn may use), `call` (one at work), `cancel` (those that no
//! run continues with).

mod build;
mod call;
mod cancel;
mod link;
mod spawn;
mod turn;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use legwork_core::Budget;
use legwork_port::{Model, Tool};
use serde_json::Value;

pub(crate) use link::is_below;
pub use link::{parent_of, with_subagents};
pub(crate) use spawn::Spawns;
pub use spawn::TOOL;

use crate::agent::Agent;
use crate::agent::capability::Capability;

/// How deep a tree of agents may be: a root, and three below each other.
pub const DEEPEST: usize = 3;

/// An agent that another one may spawn.
///
/// It has the tools, model, driver, store and dependencies of the agent that spawns it,
/// where it is not said otherwise; of hooks, the gates and guards, and those marked as inherited.
#[derive(Clone)]
pub struct Subagent {
    name: Arc<str>,
    description: Arc<str>,
    /// The agent that it is, with parts of its own; none = made of what the parent has.
    elsewhere: Option<Agent>,
    differences: Box<Differences>,
}

/// What is otherwise than in the parent, or than it was built elsewhere.
#[derive(Clone, Default)]
struct Differences {
    instructions: Option<Arc<str>>,
    model: Option<Arc<dyn Model>>,
    tools: Vec<Arc<dyn Tool>>,
    allowed: Option<BTreeSet<String>>,
    denied: BTreeSet<String>,
    denied_toolsets: BTreeSet<String>,
    known: BTreeSet<String>,
    budget: Option<Budget>,
    capabilities: Vec<Arc<dyn Capability>>,
    metadata: BTreeMap<String, Value>,
}

impl Subagent {
    /// A subagent with a name, what it is good for (the parent's model reads it), and its
    /// instructions.
    pub fn new(
        name: impl Into<Arc<str>>,
        description: impl Into<Arc<str>>,
        instructions: impl Into<Arc<str>>,
    ) -> Self {
        let instructions = Some(instructions.into());
        let differences = Box::new(Differences { instructions, ..Differences::default() });
        Self { name: name.into(), description: description.into(), elsewhere: None, differences }
    }

    /// An agent that was built elsewhere, with its own model, tools, hooks and limits. What
    /// its parent is denied it is denied too, and the parent's guards watch it.
    pub fn of(name: impl Into<Arc<str>>, description: impl Into<Arc<str>>, agent: Agent) -> Self {
        let (elsewhere, differences) = (Some(agent), Box::default());
        Self { name: name.into(), description: description.into(), elsewhere, differences }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is good for.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The same with another model than the parent's.
    #[must_use]
    pub fn model(self, model: impl Model + 'static) -> Self {
        self.with(|differences| differences.model = Some(Arc::new(model)))
    }

    /// The same with further tools, in the place of the parent's of the same names.
    #[must_use]
    pub fn tools<T: Tool + 'static>(self, tools: impl IntoIterator<Item = T>) -> Self {
        let tools = tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>);
        self.with(|differences| differences.tools.extend(tools))
    }

    /// The same with these tools only, its own and the parent's; none at all if there is
    /// no name.
    #[must_use]
    pub fn only_tools<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        self.with(|differences| differences.allowed = Some(names))
    }

    /// The same without these tools; denying wins over allowing.
    #[must_use]
    pub fn deny_tools<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.with(|differences| differences.denied.extend(names.into_iter().map(Into::into)))
    }

    /// The same without the toolsets of these names, which its runs do not open; a name of which
    /// there is no toolset means nothing.
    #[must_use]
    pub fn deny_toolsets<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(Into::into);
        self.with(|differences| differences.denied_toolsets.extend(names))
    }

    /// The same with names that these lists may name though there are no such tools, as with
    /// [`Builder::known_tools`](crate::Builder::known_tools).
    #[must_use]
    pub fn known_tools<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.with(|differences| differences.known.extend(names.into_iter().map(Into::into)))
    }

    /// The same with limits of its own: they are held in the parent's ledger when it is
    /// spawned. Where it has none, each of its calls is held in the ledgers above.
    #[must_use]
    pub fn budget(self, budget: Budget) -> Self {
        self.with(|differences| differences.budget = Some(budget))
    }

    /// The same with a capability.
    #[must_use]
    pub fn capability(self, capability: impl Capability + 'static) -> Self {
        self.capabilities([Arc::new(capability) as Arc<dyn Capability>])
    }

    /// The same with capabilities, in their order.
    #[must_use]
    pub fn capabilities(self, all: impl IntoIterator<Item = Arc<dyn Capability>>) -> Self {
        self.with(|differences| differences.capabilities.extend(all))
    }

    /// The same with a metadata value that its sessions begin with.
    #[must_use]
    pub fn metadata(self, key: impl Into<String>, value: Value) -> Self {
        self.with(|differences| {
            differences.metadata.insert(key.into(), value);
        })
    }

    fn with(mut self, change: impl FnOnce(&mut Differences)) -> Self {
        change(&mut self.differences);
        self
    }

    /// The limits of its own, if it has any.
    pub fn limits(&self) -> Option<&Budget> {
        let elsewhere = self.elsewhere.as_ref().map(|agent| &agent.definition().budget);
        self.differences.budget.as_ref().or(elsewhere)
    }
}

impl std::fmt::Debug for Subagent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subagent").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The agents that an agent may spawn, and how deep in the tree it stands itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Subagents {
    all: Vec<Subagent>,
    depth: usize,
}

impl Subagents {
    /// The same with another one.
    pub(crate) fn with(mut self, subagent: Subagent) -> Self {
        self.all.push(subagent);
        self
    }

    /// All of them, in the order they were given.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Subagent> {
        self.all.iter()
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Subagent> {
        self.all.iter().find(|subagent| &*subagent.name == name)
    }

    /// Those that one of this name may spawn itself, a level below a parent: all but itself.
    /// Who spawned it is not among them already.
    fn below(&self, name: &str, parent: &Self) -> Self {
        let all = self.all.iter().filter(|other| &*other.name != name).cloned().collect();
        Self { all, depth: parent.depth + 1 }
    }

    /// The tool that spawns them, if there are any and the tree may grow.
    pub(crate) fn tool(&self) -> Option<Arc<dyn Tool>> {
        let grows = self.depth < DEEPEST && !self.all.is_empty();
        grows.then(|| Arc::new(spawn::SpawnTool::of(self)) as Arc<dyn Tool>)
    }
}

//! A subagent as an agent: of what its parent has, or with parts of its own.

use std::sync::Arc;

use legwork_core::Budget;
use legwork_core::continuation::defaults;
use legwork_runtime::Error;
use legwork_toolset::List;

use crate::agent::builder::Builder;
use crate::agent::subagent::{Differences, Subagent};
use crate::agent::{Agent, Parts};

impl Subagent {
    /// The agent for one spawning, with what it was granted.
    pub(super) fn build(&self, parent: &Parts, granted: Budget) -> Result<Agent, Error> {
        let (base, subagents) = match &self.elsewhere {
            None => (inherit(parent), &parent.subagents),
            Some(agent) => (bring(parent, agent), &agent.0.parts.subagents),
        };
        let builder = Builder {
            // It stands below its parent, whatever it was built for.
            subagents: subagents.below(&self.name, &parent.subagents),
            observers: Vec::new(),
            mask: base.mask.and(&parent.mask),
            ..differ(base, &self.differences)
        };
        builder.id(&*self.name).budget(granted).build()
    }
}

impl Parts {
    /// Builds each subagent once, so that what is wrong with one is an error of building the
    /// agent, not an answer to the model that spawns it.
    pub(crate) fn try_subagents(&self) -> Result<(), Error> {
        if self.subagents.depth > 0 {
            return Ok(());
        }
        for subagent in self.subagents.iter() {
            let limits = subagent.limits().cloned().unwrap_or_else(Budget::guards);
            if let Err(Error::Build(problems)) = subagent.build(self, limits) {
                let name = &subagent.name;
                let of = |problem| format!("its subagent `{name}` cannot be built: {problem}");
                return Err(Error::Build(problems.into_iter().map(of).collect()));
            }
        }
        Ok(())
    }
}

/// The parent's parts, but for what is its alone.
fn inherit(parent: &Parts) -> Builder {
    let mut builder = parent.builder.clone();
    builder.definition.version = None;
    // Of a capability the tools go along, and those of its hooks that are marked so.
    builder.tools.clone_from(&parent.tools);
    // What somebody wrote into the parent's lists was held against its tools.
    builder.names.written.clear();
    builder.capabilities.clear();
    builder.lifecycles.clear();
    builder.hooks.retain(|hook| hook.is_inherited());
    let guards = defaults();
    builder.criteria.retain(|own| guards.iter().any(|guard| guard.name() == own.name()));
    builder.metadata.clear();
    builder.output = None;
    builder.output_tools.clear();
    builder
}

/// The parts of an agent that was built elsewhere, with what goes along of the parent.
fn bring(parent: &Parts, agent: &Agent) -> Builder {
    let mut builder = agent.to_builder();
    builder.store.clone_from(&parent.builder.store);
    builder.keeps = parent.builder.keeps;
    builder.clock = Arc::clone(&parent.builder.clock);
    builder.names.denied.extend(parent.builder.names.denied.iter().cloned());
    let along = parent.builder.hooks.iter().filter(|hook| hook.is_inherited());
    builder.hooks.extend(along.cloned());
    builder
}

/// What is otherwise in a subagent.
fn differ(mut builder: Builder, own: &Differences) -> Builder {
    if let Some(instructions) = &own.instructions {
        builder.definition.instructions = Arc::clone(instructions);
    }
    if let Some(model) = &own.model {
        builder = builder.in_place_of_model(Arc::clone(model));
    }
    builder.metadata.extend(own.metadata.clone());
    builder = builder.in_place_of_tools(own.tools.clone());
    builder.toolsets.retain(|toolset| !own.denied_toolsets.contains(&*toolset.name()));
    // Its own tools it has, whatever its parent may have.
    let own_names = || own.tools.iter().map(|tool| tool.spec().name.to_string());
    let had = builder.names.clone();
    match &own.allowed {
        Some(allowed) => {
            let may = |name: &&String| had.admit(name) || own_names().any(|own| own == **name);
            builder.names.allowed = Some(allowed.iter().filter(may).cloned().collect());
        }
        None => builder.names.allowed.iter_mut().for_each(|names| names.extend(own_names())),
    }
    builder.names.denied.extend(own.denied.iter().cloned());
    builder.names.write(List::OnlyTools, own.allowed.iter().flatten());
    builder.names.write(List::DenyTools, &own.denied);
    builder.names.known.extend(own.known.iter().cloned());
    builder.capabilities(own.capabilities.iter().cloned())
}

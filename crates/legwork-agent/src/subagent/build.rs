//! A subagent as an agent: of what its parent has, or with parts of its own.

use std::sync::Arc;

use legwork_core::Budget;
use legwork_core::continuation::defaults;
use legwork_port::observer::Nobody;

use crate::agent::{Agent, Inner};
use crate::builder::Builder;
use crate::error::Error;
use crate::subagent::{Differences, Made, Subagent};

impl Subagent {
    /// The agent for one spawning, with what it was granted.
    pub(super) fn build(&self, parent: &Inner, granted: Budget) -> Result<Agent, Error> {
        let builder = match &self.made {
            Made::Here(differences) => inherit(parent, differences),
            Made::Elsewhere(agent) => Builder {
                store: Some(Arc::clone(&parent.store)),
                clock: Arc::clone(&parent.clock),
                ..agent.0.builder.clone()
            },
        };
        let subagents = match &self.made {
            Made::Here(_) => parent.subagents.below(&self.name),
            Made::Elsewhere(agent) => agent.0.subagents.below(&self.name),
        };
        let builder = Builder {
            // It stands below its parent, whatever it was built for.
            subagents: subagents.at_depth_below(&parent.subagents),
            observer: Arc::new(Nobody),
            ..builder
        };
        builder.id(&*self.name).budget(granted).build()
    }
}

/// The parent's parts, with what is otherwise.
fn inherit(parent: &Inner, own: &Differences) -> Builder {
    let mut builder = parent.builder.clone();
    builder.definition.version = None;
    builder.definition.instructions = Arc::clone(&own.instructions);
    // Of a capability the tools go along, and those of its hooks that are marked so.
    builder.tools.clone_from(&parent.tools);
    builder.capabilities.clear();
    // Capabilities of its own say anew which models they want.
    builder.needed_models.clear();
    builder.lifecycles.clear();
    builder.hooks.retain(|hook| hook.is_inherited());
    let guards = defaults();
    builder.criteria.retain(|own| guards.iter().any(|guard| guard.name() == own.name()));
    builder.metadata.clone_from(&own.metadata);
    if let Some(model) = &own.model {
        builder = builder.in_place_of_model(Arc::clone(model));
    }
    builder = builder.in_place_of_tools(own.tools.clone());
    if let Some(allowed) = &own.allowed {
        let had = builder.names.clone();
        let own_names: Vec<_> = own.tools.iter().map(|tool| tool.spec()).collect();
        let may =
            |name: &&String| had.admit(name) || own_names.iter().any(|spec| *spec.name == ***name);
        builder.names.allowed = Some(allowed.iter().filter(may).cloned().collect());
    }
    builder.names.denied.extend(own.denied.iter().cloned());
    builder.capabilities(own.capabilities.iter().cloned())
}

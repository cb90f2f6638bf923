//! The agent of a program, over a store.

use std::sync::Arc;

use legwork_agent::{Agent, Error, Subagent};
use legwork_core::{Budget, ModelSettings};
use legwork_port::{Clock, Ids, Store};

use super::program::Program;
use super::watch::Watch;
use super::world::World;
use super::{hooks, model, parts, tools};
use crate::ids::CountingIds;

/// Builds the agent of a program: each process builds its own.
pub(super) fn build(
    program: &Program,
    world: &World,
    store: Arc<dyn Store>,
) -> Result<Agent, Error> {
    let settings =
        ModelSettings { max_output: Some(program.max_output), ..ModelSettings::default() };
    let guards = || Budget::guards().steps(12);
    let root = program.agents.first().and_then(|agent| agent.budget.clone());
    let mut builder = Agent::builder(model::planned(program, world))
        .instructions("a0")
        .settings(settings)
        .budget(root.unwrap_or_else(guards))
        .tools(tools::all(world))
        .clock(Arc::new(world.clock().clone()) as Arc<dyn Clock>)
        // Each process counts from one: names of its own making repeat.
        .ids(Arc::new(CountingIds::new()) as Arc<dyn Ids>)
        .store_in(store);
    for (at, plan) in program.hooks.iter().enumerate() {
        builder = builder.hook(hooks::planned(at, plan, world));
    }
    for (at, plan) in program.agents.iter().enumerate().skip(1) {
        let name = format!("a{at}");
        let subagent = Subagent::new(name.clone(), "Works.", name);
        builder = builder.subagent(match &plan.budget {
            Some(budget) => subagent.budget(budget.clone()),
            None => subagent,
        });
    }
    for plan in &program.criteria {
        builder = parts::criterion(builder, *plan);
    }
    for plan in &program.parts {
        builder = parts::wrong(builder, *plan, world);
    }
    if program.watched {
        builder = builder.observer(Arc::new(Watch::new(world, &program.parts)));
    }
    builder.build()
}

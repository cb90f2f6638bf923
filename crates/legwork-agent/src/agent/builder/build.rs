//! From parts to an agent: what is checked, composed and put in its place.

use std::sync::Arc;

use legwork_core::{Digest, ToolSpec, tool};
use legwork_port::{Core, Model, OutputReader, Tool};

use legwork_lifecycle::hooks::HookStack;
use legwork_lifecycle::{Composite, CoreLifecycle, Guarded};
use legwork_memory::MemoryStore;
use legwork_runtime::open::{Identity, Setup};
use legwork_runtime::{Error, Services, price_unknown};
use legwork_session::Sessions;
use legwork_toolset::{Given, Owner, Toolsets};

use crate::agent::builder::Builder;
use crate::agent::capability::Resolved;
use crate::agent::subagent::Spawns;
use crate::agent::{Agent, Inner, Parts};

/// The tools of an agent, and what reads its output.
struct Equipment {
    /// The tools that subagents may inherit.
    own: Vec<Given>,
    toolsets: Toolsets,
    output: Option<Arc<dyn OutputReader>>,
}

impl Builder {
    pub(crate) fn in_place_of_model(mut self, model: Arc<dyn Model>) -> Self {
        self.definition.settings.model = model.name().into();
        Self { model, ..self }
    }

    /// Checks it all and makes the agent.
    ///
    /// # Errors
    /// [`Error::Build`] with all that is wrong.
    pub fn build(mut self) -> Result<Agent, Error> {
        // Kept by the agent, so that one made of it later has the same parts: a store in
        // memory, for one.
        let store =
            Arc::clone(self.store.get_or_insert_with(|| Arc::new(MemoryStore::forgetful())));
        let builder = self.clone();
        self.check_price();
        self.check_models();
        let Equipment { own, toolsets, output } = self.equip();
        self.check_subagents();
        if !self.problems.is_empty() {
            return Err(Error::Build(self.problems));
        }
        let (core, lifecycle) = (self.composed_core(), self.composed_lifecycle());
        let models: Vec<_> = std::iter::once(self.model).chain(self.others).collect();
        let mask = models.iter().fold(self.mask, |all, model| all.and(&model.mask()));
        let mask = self.context.masks().fold(mask, |all, mask| all.and(&mask));
        let subagents = self.subagents;
        let parts = Arc::new(Parts { builder, tools: own, subagents, mask: mask.clone() });
        parts.try_subagents()?;
        let identity = Identity {
            agent: self.id,
            digest: self.definition.digest(),
            definition: Arc::new(self.definition),
            on_change: self.on_change,
            metadata: self.metadata,
        };
        let sessions = Sessions::new(store, self.clock, self.observers, mask);
        let services = Services {
            models: models.into_iter().map(|model| (model.name().to_owned(), model)).collect(),
            context: self.context,
            toolsets: Arc::new(toolsets),
            output,
            criteria: self.criteria,
            core,
            lifecycle,
            sessions: Arc::new(if self.keeps { sessions } else { sessions.forgetting() }),
            ids: self.ids,
            calls: self.calls,
            follow_ups: self.follow_ups,
            approver: self.approver,
            deps: self.deps,
            subagents: Arc::new(Spawns(Arc::clone(&parts))),
        };
        let (identity, services) = (Arc::new(identity), Arc::new(services));
        let setup = Setup { identity, services, driver: self.driver };
        Ok(Agent(Arc::new(Inner { parts, setup })))
    }

    /// Puts the tools together, and the instructions and the output that go with them.
    fn equip(&mut self) -> Equipment {
        let mut tools = std::mem::take(&mut self.tools);
        let spawn = self.subagents.tool();
        let (output, output_tools) = self.fit_output();
        let mut sections = self.resolve(&mut tools, spawn.as_ref());
        let own = tools.clone();
        tools.extend(output_tools);
        tools.extend(spawn.map(|tool| Given { tool, owner: Owner::Subagents }));
        self.definition.tools = digest_of(&tools);
        let (sets, names) = (std::mem::take(&mut self.toolsets), std::mem::take(&mut self.names));
        let toolsets = Toolsets::new(tools, sets, names, &self.schemas, &mut self.problems);
        let prompt = output.as_ref().map(|reader| reader.prompt()).filter(|it| !it.is_empty());
        sections.extend(prompt.map(str::to_owned));
        self.definition.instructions = whole(&self.definition.instructions, sections);
        Equipment { own, toolsets, output }
    }

    /// What decides whether an execution goes on: with the criteria, and those of the driver.
    fn composed_core(&mut self) -> Arc<dyn Core> {
        for criterion in self.driver.criteria() {
            if !self.criteria.iter().any(|known| known.name() == criterion.name()) {
                self.criteria.push(criterion);
            }
        }
        match self.core.take() {
            // A Core that the program gave is held to the lineage, like every other lifecycle.
            Some(core) => Arc::new(Guarded::new(core)),
            None => {
                let core = CoreLifecycle::new(self.criteria.clone());
                Arc::new(core.error_handler(Arc::clone(&self.error_handler)))
            }
        }
    }

    /// The hooks, then the other lifecycles.
    fn composed_lifecycle(&mut self) -> Composite {
        let mut members = std::mem::take(&mut self.lifecycles);
        if !self.hooks.is_empty() {
            let stack = HookStack::new(std::mem::take(&mut self.hooks));
            members.insert(0, Arc::new(stack.strictness(self.strictness)));
        }
        Composite::new(members).strictness(self.strictness)
    }

    /// Lets capabilities add what needs to know the rest: tools first, then their sections
    /// of the system prompt.
    fn resolve(&mut self, tools: &mut Vec<Given>, spawn: Option<&Arc<dyn Tool>>) -> Vec<String> {
        let single = tools.iter().map(|given| &given.tool);
        let mut specs: Vec<_> = single.chain(spawn).map(|tool| tool.spec()).collect();
        specs.retain(|spec| self.names.admit(&spec.name));
        for capability in self.capabilities.clone() {
            let late = capability.tools(&self.resolved(&specs));
            specs.extend(late.iter().map(|tool| tool.spec()));
            let owner = Owner::Capability(capability.name().into());
            tools.extend(late.into_iter().map(|tool| Given { tool, owner: owner.clone() }));
        }
        let resolved = self.resolved(&specs);
        self.capabilities.iter().filter_map(|capability| capability.section(&resolved)).collect()
    }

    fn resolved<'a>(&'a self, tools: &'a [Arc<ToolSpec>]) -> Resolved<'a> {
        Resolved {
            id: self.id.as_str(),
            model: self.model.name(),
            profile: self.model.profile(),
            driver: self.driver.name(),
            tools,
            capabilities: &self.capabilities,
            budget: &self.definition.budget,
            metadata: &self.metadata,
        }
    }

    fn check_subagents(&mut self) {
        // It is the name of the tool that calls it.
        let checked = self.subagents.iter().filter_map(|one| tool::check_name(one.name()).err());
        let problems: Vec<_> = checked.map(|error| format!("a subagent: {error}")).collect();
        self.problems.extend(problems);
    }

    /// What is installed may want models that nobody gave.
    fn check_models(&mut self) {
        let all: Vec<_> = std::iter::once(&self.model).chain(&self.others).collect();
        for (name, by) in &self.needed_models {
            if !all.iter().any(|model| model.name() == name) {
                let has: Vec<_> = all.iter().map(|model| model.name()).collect();
                self.problems.push(format!(
                    "{by} wants the model `{name}`, and the agent has {}: give it that model, too",
                    has.join(", ")
                ));
            }
        }
    }

    /// A limit on money needs to know what things cost.
    fn check_price(&mut self) {
        if self.definition.budget.cost.is_none() {
            return;
        }
        for model in std::iter::once(&self.model).chain(&self.others) {
            if model.profile().prices.is_none() {
                self.problems.push(price_unknown(model.name()));
            }
        }
    }
}

fn whole(own: &Arc<str>, sections: Vec<String>) -> Arc<str> {
    if sections.is_empty() {
        return Arc::clone(own);
    }
    let own = (!own.is_empty()).then(|| own.to_string());
    own.into_iter().chain(sections).collect::<Vec<_>>().join("\n\n").into()
}

/// The digest of tools, whatever their order; none if there are none.
fn digest_of(tools: &[Given]) -> Option<Digest> {
    let mut specs: Vec<_> = tools.iter().map(|given| given.tool.spec()).collect();
    specs.sort_by(|a, b| a.name.cmp(&b.name));
    let digests: Vec<_> = specs.iter().map(|spec| spec.digest()).collect();
    (!digests.is_empty()).then(|| Digest::of_serialize(&digests).ok()).flatten()
}

//! From parts to an agent: what is checked, composed and put in its place.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_core::ToolSpec;
use legwork_port::{Lifecycle, Model, Tool};

use crate::agent::{Agent, Inner};
use crate::builder::Builder;
use crate::capability::Resolved;
use crate::error::Error;
use crate::hooks::HookStack;
use crate::lifecycle::{Composite, CoreLifecycle};
use crate::memory::MemoryStore;
use crate::spending;
use crate::toolbox::{Toolbox, Tools};

impl Builder {
    pub(crate) fn in_place_of_model(mut self, model: Arc<dyn Model>) -> Self {
        self.definition.settings.model = model.name().into();
        Self { model, ..self }
    }

    pub(crate) fn in_place_of_tools(mut self, tools: Vec<Arc<dyn Tool>>) -> Self {
        for tool in tools {
            let name = Arc::clone(&tool.spec().name);
            match self.tools.iter_mut().find(|known| known.spec().name == name) {
                Some(place) => *place = tool,
                None => self.tools.push(tool),
            }
        }
        self
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
        let mut tools = std::mem::take(&mut self.tools);
        let spawn = self.subagents.tool();
        let sections = self.resolve(&mut tools, spawn.as_ref());
        let own = tools.clone();
        tools.extend(spawn);
        self.check_names(&tools);
        if !self.problems.is_empty() {
            return Err(Error::Build(self.problems.join("; ")));
        }
        for criterion in self.driver.criteria() {
            if !self.criteria.iter().any(|known| known.name() == criterion.name()) {
                self.criteria.push(criterion);
            }
        }
        self.definition.instructions = whole(&self.definition.instructions, sections);
        // A core that somebody gave is held to the lineage, like every other lifecycle.
        let core: Arc<dyn Lifecycle> = match self.core {
            Some(core) => Arc::new(Composite::core(core)),
            None => Arc::new(CoreLifecycle::new(self.criteria.clone())),
        };
        let mut members = self.lifecycles;
        if !self.hooks.is_empty() {
            let stack = HookStack::new(self.hooks).strictness(self.strictness);
            members.insert(0, Arc::new(stack));
        }
        if !tools.is_empty() {
            self.toolsets.insert(0, Arc::new(Tools::new(tools)));
        }
        let models = std::iter::once(self.model).chain(self.others);
        Ok(Agent(Arc::new(Inner {
            builder,
            digest: self.definition.digest(),
            definition: self.definition,
            models: models.map(|model| (model.name().to_owned(), model)).collect(),
            tools: own,
            toolbox: Toolbox::new(self.toolsets).with_names(self.names),
            provenance: self.provenance,
            driver: self.driver,
            criteria: self.criteria,
            error_handler: self.error_handler,
            core,
            lifecycle: Composite::new(members).strictness(self.strictness),
            subagents: self.subagents,
            store,
            clock: self.clock,
            ids: self.ids,
            observer: self.observer,
            executor: self.executor,
            on_doubt: self.on_doubt,
            deps: self.deps,
        })))
    }

    /// Lets capabilities add what needs to know the rest: tools first, then their sections
    /// of the system prompt.
    fn resolve(
        &mut self,
        tools: &mut Vec<Arc<dyn Tool>>,
        spawn: Option<&Arc<dyn Tool>>,
    ) -> Vec<String> {
        let mut specs: Vec<_> = tools.iter().chain(spawn).map(|tool| tool.spec()).collect();
        specs.retain(|spec| self.names.admit(&spec.name));
        for capability in self.capabilities.clone() {
            let late = capability.tools(&self.resolved(&specs));
            self.provenance.note(capability.name(), &late);
            specs.extend(late.iter().map(|tool| tool.spec()));
            tools.extend(late);
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

    /// Two tools of one name would fail at the first step; those that the agent may not have
    /// are in nobody's way.
    fn check_names(&mut self, tools: &[Arc<dyn Tool>]) {
        let of_subagents = self.subagents.iter().map(|one| ("subagent", one.name().to_owned()));
        let of_tools = tools.iter().map(|tool| ("tool", tool.spec().name.to_string()));
        let odd = of_subagents.chain(of_tools).filter(|(_, name)| !is_name(name));
        let problems: Vec<_> = odd
            .map(|(what, name)| {
                format!(
                    "{name:?} is no name of a {what}: take letters, digits, `-` and `_`, at most 64"
                )
            })
            .collect();
        self.problems.extend(problems);
        let mut seen = BTreeSet::new();
        for tool in tools {
            let name = Arc::clone(&tool.spec().name);
            if self.names.admit(&name) && !seen.insert(Arc::clone(&name)) {
                let problem = format!("two tools are named `{name}`: rename or leave out one");
                self.problems.push(problem);
            }
        }
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
            if model.profile().price.is_none() {
                self.problems.push(spending::price_unknown(model.name()));
            }
        }
    }
}

/// What providers take for the name of a tool.
fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=64).contains(&name.len()) && name.chars().all(fits)
}

fn whole(own: &Arc<str>, sections: Vec<String>) -> Arc<str> {
    if sections.is_empty() {
        return Arc::clone(own);
    }
    let own = (!own.is_empty()).then(|| own.to_string());
    own.into_iter().chain(sections).collect::<Vec<_>>().join("\n\n").into()
}

//! How an agent is put together.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::event::Definition;
use legwork_core::tool::ExecutionMode;
use legwork_core::{AgentId, Budget, Criterion, ModelSettings, OnDoubt};
use legwork_port::observer::Nobody;
use legwork_port::{Clock, Ids, Lifecycle, Model, Observer, Store, Tool, Toolset};

use crate::agent::{Agent, Inner};
use crate::driver::{Driver, ToolCalling};
use crate::error::Error;
use crate::executor::Executor;
use crate::hooks::{Hook, HookStack};
use crate::lifecycle::{Composite, CoreLifecycle};
use crate::memory::{MemoryStore, RandomIds, SystemClock};
use crate::toolbox::{Toolbox, Tools};

/// An agent being put together; nothing is checked before [`Builder::build`].
pub struct Builder {
    id: AgentId,
    definition: Definition,
    model: Arc<dyn Model>,
    others: Vec<Arc<dyn Model>>,
    tools: Vec<Arc<dyn Tool>>,
    toolsets: Vec<Arc<dyn Toolset>>,
    driver: Arc<dyn Driver>,
    core: Option<Arc<dyn Lifecycle>>,
    criteria: Vec<Arc<dyn Criterion>>,
    hooks: Vec<Hook>,
    lifecycles: Vec<Arc<dyn Lifecycle>>,
    store: Option<Arc<dyn Store>>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    observer: Arc<dyn Observer>,
    executor: Executor,
    on_doubt: Option<OnDoubt>,
    deps: Option<Arc<dyn Any + Send + Sync>>,
    problems: Vec<String>,
}

impl Builder {
    pub(crate) fn new(model: Arc<dyn Model>) -> Self {
        let settings = ModelSettings { model: model.name().into(), ..ModelSettings::default() };
        Self {
            id: AgentId::new("agent"),
            definition: Definition { settings, budget: Budget::guards(), ..Definition::default() },
            model,
            others: Vec::new(),
            tools: Vec::new(),
            toolsets: Vec::new(),
            driver: Arc::new(ToolCalling),
            core: None,
            criteria: Vec::new(),
            hooks: Vec::new(),
            lifecycles: Vec::new(),
            store: None,
            clock: Arc::new(SystemClock::default()),
            ids: Arc::new(RandomIds),
            observer: Arc::new(Nobody),
            executor: Executor::default(),
            on_doubt: None,
            deps: None,
            problems: Vec::new(),
        }
    }

    /// Who works in the sessions; `agent` by default.
    #[must_use]
    pub fn id(self, id: impl Into<AgentId>) -> Self {
        Self { id: id.into(), ..self }
    }

    /// The system prompt.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<Arc<str>>) -> Self {
        self.definition.instructions = instructions.into();
        self
    }

    /// The user's own version of the agent, part of its definition.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.definition.version = Some(version.into());
        self
    }

    /// Settings of the model: output limit, temperature, further fields.
    ///
    /// The model's name in them is left out: it is that of the model given.
    #[must_use]
    pub fn settings(mut self, settings: ModelSettings) -> Self {
        let model = Arc::clone(&self.definition.settings.model);
        self.definition.settings = ModelSettings { model, ..settings };
        self
    }

    /// Another model that the state may name.
    #[must_use]
    pub fn model(mut self, model: impl Model + 'static) -> Self {
        self.others.push(Arc::new(model));
        self
    }

    /// Tools of one type; call it again for others, or give `Arc<dyn Tool>`s.
    #[must_use]
    pub fn tools<T: Tool + 'static>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools.extend(tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>));
        self
    }

    /// One tool.
    #[must_use]
    pub fn tool(self, tool: impl Tool + 'static) -> Self {
        self.tools([tool])
    }

    /// A source of tools.
    #[must_use]
    pub fn toolset(mut self, toolset: impl Toolset + 'static) -> Self {
        self.toolsets.push(Arc::new(toolset));
        self
    }

    /// The limits of an execution; 20 steps and 300 s at work by default.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.definition.budget = budget;
        self
    }

    /// How one step is made; by tool calling by default.
    #[must_use]
    pub fn driver(self, driver: impl Driver + 'static) -> Self {
        Self { driver: Arc::new(driver), ..self }
    }

    /// What evaluates the criteria and makes outcomes, in place of [`CoreLifecycle`].
    #[must_use]
    pub fn core_lifecycle(self, core: impl Lifecycle + 'static) -> Self {
        Self { core: Some(Arc::new(core)), ..self }
    }

    /// A further criterion beside those that ship on.
    #[must_use]
    pub fn criterion(mut self, criterion: impl Criterion + 'static) -> Self {
        self.criteria.push(Arc::new(criterion));
        self
    }

    /// A hook.
    #[must_use]
    pub fn hook(mut self, hook: Hook) -> Self {
        self.hooks.push(hook);
        self
    }

    /// A lifecycle behind the hooks.
    #[must_use]
    pub fn lifecycle(mut self, lifecycle: impl Lifecycle + 'static) -> Self {
        self.lifecycles.push(Arc::new(lifecycle));
        self
    }

    /// Where sessions live; without one they are forgotten when they end.
    #[must_use]
    pub fn store_in(self, store: Arc<dyn Store>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// Where time comes from.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Where names come from.
    #[must_use]
    pub fn ids(self, ids: Arc<dyn Ids>) -> Self {
        Self { ids, ..self }
    }

    /// Who watches every run.
    #[must_use]
    pub fn observer(self, observer: Arc<dyn Observer>) -> Self {
        Self { observer, ..self }
    }

    /// How the calls of a turn run beside each other; in parallel by default.
    #[must_use]
    pub fn execution_mode(mut self, mode: ExecutionMode) -> Self {
        self.executor.mode = mode;
        self
    }

    /// How many calls run beside each other at most; 16 by default.
    #[must_use]
    pub fn parallel_calls(mut self, bound: usize) -> Self {
        self.executor.bound = bound;
        self
    }

    /// What to do about calls in doubt, whatever their tools say.
    #[must_use]
    pub fn on_doubt(self, on_doubt: OnDoubt) -> Self {
        Self { on_doubt: Some(on_doubt), ..self }
    }

    /// Dependencies that tools find by their type.
    #[must_use]
    pub fn deps<T: Any + Send + Sync>(self, deps: T) -> Self {
        Self { deps: Some(Arc::new(deps)), ..self }
    }

    /// Notes a problem that [`Builder::build`] shall report.
    #[must_use]
    pub fn problem(mut self, problem: impl Into<String>) -> Self {
        self.problems.push(problem.into());
        self
    }

    /// Checks it all and makes the agent.
    ///
    /// # Errors
    /// [`Error::Build`] with all that is wrong.
    pub fn build(mut self) -> Result<Agent, Error> {
        self.check_price();
        if !self.problems.is_empty() {
            return Err(Error::Build(self.problems.join("; ")));
        }
        let mut criteria = legwork_core::continuation::defaults();
        criteria.append(&mut self.criteria);
        // A core that somebody gave is held to the lineage, like every other lifecycle.
        let core: Arc<dyn Lifecycle> = match self.core {
            Some(core) => Arc::new(Composite::new(vec![core])),
            None => Arc::new(CoreLifecycle::new(criteria)),
        };
        let mut members = self.lifecycles;
        if !self.hooks.is_empty() {
            members.insert(0, Arc::new(HookStack::new(self.hooks)));
        }
        if !self.tools.is_empty() {
            self.toolsets.insert(0, Arc::new(Tools::new(self.tools)));
        }
        let models: BTreeMap<String, Arc<dyn Model>> = std::iter::once(self.model)
            .chain(self.others)
            .map(|model| (model.name().to_owned(), model))
            .collect();
        let store = self.store.unwrap_or_else(|| Arc::new(MemoryStore::forgetful()));
        Ok(Agent(Arc::new(Inner {
            id: self.id,
            digest: self.definition.digest(),
            definition: self.definition,
            models: Arc::new(models),
            toolbox: Arc::new(Toolbox::new(self.toolsets)),
            driver: self.driver,
            core,
            lifecycle: Composite::new(members),
            store,
            clock: self.clock,
            ids: self.ids,
            observer: self.observer,
            executor: self.executor,
            on_doubt: self.on_doubt,
            deps: self.deps,
        })))
    }

    /// A limit on money needs to know what things cost.
    fn check_price(&mut self) {
        if self.definition.budget.cost.is_none() {
            return;
        }
        for model in std::iter::once(&self.model).chain(&self.others) {
            if model.profile().price.is_none() {
                self.problems.push(format!(
                    "the budget limits cost, but the price of `{}` is not known: give the model \
                     a price, or limit tokens instead",
                    model.name()
                ));
            }
        }
    }
}

//! How an agent is put together.

mod build;
mod calls;
mod output;
mod people;
mod tools;

use std::any::{Any, type_name};
use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_context::Context;
use legwork_core::continuation::{ErrorHandler, FailExecution, put, remove};
use legwork_core::event::{Definition, DefinitionPolicy};
use legwork_core::inbox::FollowUps;
use legwork_core::{AgentId, Budget, Criterion, Mask, ModelSettings, OnDoubt};
use legwork_lifecycle::{Hook, Strictness};
use legwork_memory::{RandomIds, SystemClock};
use legwork_port::{Approver, Clock, Core, Deps, Ids, Lifecycle, Model, Observer, Store};
use legwork_runtime::services::CallPolicy;
use legwork_runtime::{Driver, ToolCalling};
use legwork_toolset::{Given, Names, Schemas, SharedToolset};
use serde_json::Value;

use crate::agent::builder::output::FitOutput;
use crate::agent::capability::Capability;
use crate::agent::subagent::{Subagent, Subagents, TOOL};

/// An agent being put together; nothing is checked before [`Builder::build`].
#[derive(Clone)]
pub struct Builder {
    pub(crate) id: AgentId,
    pub(crate) definition: Definition,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) others: Vec<Arc<dyn Model>>,
    pub(crate) context: Context,
    pub(crate) tools: Vec<Given>,
    pub(crate) toolsets: Vec<SharedToolset>,
    pub(crate) names: Names,
    pub(crate) schemas: Schemas,
    /// The capability that is being installed.
    pub(crate) installing: Option<Arc<str>>,
    pub(crate) output: Option<Arc<FitOutput>>,
    /// Tools whose results are the output; no subagent inherits them.
    pub(crate) output_tools: Vec<Given>,
    pub(crate) driver: Arc<dyn Driver>,
    pub(crate) core: Option<Arc<dyn Core>>,
    /// What votes, by name: a later one of a name takes the place of an earlier one.
    pub(crate) criteria: Vec<Arc<dyn Criterion>>,
    pub(crate) error_handler: Arc<dyn ErrorHandler>,
    pub(crate) hooks: Vec<Hook>,
    pub(crate) strictness: Strictness,
    pub(crate) lifecycles: Vec<Arc<dyn Lifecycle>>,
    pub(crate) capabilities: Vec<Arc<dyn Capability>>,
    pub(crate) subagents: Subagents,
    pub(crate) metadata: BTreeMap<String, Value>,
    pub(crate) store: Option<Arc<dyn Store>>,
    /// Whether the store keeps sessions: it was given, and is not the one that forgets.
    pub(crate) keeps: bool,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
    pub(crate) mask: Mask,
    pub(crate) calls: CallPolicy,
    pub(crate) follow_ups: FollowUps,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) on_doubt: Option<OnDoubt>,
    pub(crate) on_change: DefinitionPolicy,
    pub(crate) deps: Deps,
    /// Models that something installed wants to be asked, and what wants it.
    pub(crate) needed_models: Vec<(String, String)>,
    pub(crate) problems: Vec<String>,
}

impl Builder {
    pub(crate) fn new(model: Arc<dyn Model>) -> Self {
        let settings = ModelSettings { model: model.name().into(), ..ModelSettings::default() };
        Self {
            id: AgentId::new("agent"),
            definition: Definition { settings, budget: Budget::guards(), ..Definition::default() },
            model,
            others: Vec::new(),
            context: Context::new(),
            tools: Vec::new(),
            toolsets: Vec::new(),
            // Whether there are subagents may depend on where in a tree the agent stands.
            names: Names { known: [TOOL.to_owned()].into(), ..Names::default() },
            schemas: Schemas::default(),
            installing: None,
            output: None,
            output_tools: Vec::new(),
            driver: Arc::new(ToolCalling),
            core: None,
            criteria: legwork_core::continuation::defaults(),
            error_handler: Arc::new(FailExecution),
            hooks: Vec::new(),
            strictness: Strictness::default(),
            lifecycles: Vec::new(),
            capabilities: Vec::new(),
            subagents: Subagents::default(),
            metadata: BTreeMap::new(),
            store: None,
            keeps: false,
            clock: Arc::new(SystemClock::default()),
            ids: Arc::new(RandomIds),
            observers: Vec::new(),
            mask: Mask::default(),
            calls: CallPolicy::default(),
            follow_ups: FollowUps::default(),
            approver: None,
            on_doubt: None,
            on_change: DefinitionPolicy::default(),
            deps: Deps::new(),
            needed_models: Vec::new(),
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

    /// A further model, which the settings of a session may name in place of the first.
    #[must_use]
    pub fn further_model(mut self, model: impl Model + 'static) -> Self {
        self.others.push(Arc::new(model));
        self
    }

    /// Notes that something wants this model to be there, as `provider:name`; building
    /// says so if it is not.
    #[must_use]
    pub fn needs_model(mut self, model: impl Into<String>, by: impl Into<String>) -> Self {
        self.needed_models.push((model.into(), by.into()));
        self
    }

    /// The limits of an execution; 20 steps and 300 s of active time by default.
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

    /// What decides whether an execution goes on, and records its steps and its end, in place
    /// of [`CoreLifecycle`](crate::CoreLifecycle). It handles errors itself
    /// ([`Core::handle_error`]), so the error handler and the criteria of this builder are not
    /// asked for its decisions.
    ///
    /// A run that is cancelled or interrupted waits for it, unlike for any other lifecycle: no
    /// step ends without a decision.
    #[must_use]
    pub fn core_lifecycle(self, core: impl Core + 'static) -> Self {
        Self { core: Some(Arc::new(core)), ..self }
    }

    /// A criterion: one of the same name, such as a guard that ships on, gives it its
    /// place; any other is asked beside those there are.
    #[must_use]
    pub fn criterion(self, criterion: impl Criterion + 'static) -> Self {
        self.criterion_shared(Arc::new(criterion))
    }

    pub(crate) fn criterion_shared(mut self, criterion: Arc<dyn Criterion>) -> Self {
        put(&mut self.criteria, criterion);
        self
    }

    /// Switches a criterion off by its name, one that ships on too.
    #[must_use]
    pub fn without_criterion(mut self, name: &str) -> Self {
        match remove(&mut self.criteria, name) {
            Ok(()) => self,
            Err(unknown) => self.problem(unknown.to_string()),
        }
    }

    /// What says how an execution ends that an error ended.
    #[must_use]
    pub fn error_handler(self, handler: impl ErrorHandler + 'static) -> Self {
        Self { error_handler: Arc::new(handler), ..self }
    }

    /// A hook.
    #[must_use]
    pub fn hook(mut self, hook: impl Into<Hook>) -> Self {
        self.hooks.push(hook.into());
        self
    }

    /// Without the hook of this name, if there is one.
    #[must_use]
    pub fn without_hook(mut self, name: &str) -> Self {
        self.hooks.retain(|hook| hook.name() != name);
        self
    }

    /// What becomes of an execution when a hook changes what its trigger does not allow.
    #[must_use]
    pub fn hook_strictness(self, strictness: Strictness) -> Self {
        Self { strictness, ..self }
    }

    /// Installs a capability, behind those that were installed before.
    #[must_use]
    pub fn capability(self, capability: impl Capability + 'static) -> Self {
        self.capabilities([Arc::new(capability) as Arc<dyn Capability>])
    }

    /// Installs capabilities in their order.
    #[must_use]
    pub fn capabilities(
        mut self,
        capabilities: impl IntoIterator<Item = Arc<dyn Capability>>,
    ) -> Self {
        for capability in capabilities {
            let name = capability.name().to_owned();
            if self.capabilities.iter().any(|known| known.name() == name) {
                self =
                    self.problem(format!("the capability `{name}` is given twice: leave one out"));
                continue;
            }
            let around = self.installing.replace(name.into());
            self = capability.install(self);
            self.installing = around;
            self.capabilities.push(capability);
        }
        self
    }

    /// An agent that this one may spawn, by name, with the tool `spawn_subagent`.
    #[must_use]
    pub fn subagent(mut self, subagent: Subagent) -> Self {
        if self.subagents.find(subagent.name()).is_some() {
            let name = subagent.name().to_owned();
            return self.problem(format!("the subagent `{name}` is given twice: leave one out"));
        }
        self.subagents = self.subagents.with(subagent);
        self
    }

    /// A metadata value that new sessions begin with.
    #[must_use]
    pub fn metadata(mut self, key: impl Into<String>, value: Value) -> Self {
        self.metadata.insert(key.into(), value);
        self
    }

    /// A lifecycle behind the hooks.
    #[must_use]
    pub fn lifecycle(mut self, lifecycle: impl Lifecycle + 'static) -> Self {
        self.lifecycles.push(Arc::new(lifecycle));
        self
    }

    /// What models read of a session: transforms, messages of the program, compaction.
    ///
    /// By default they read the conversation as it is, and it is compacted when it fills the window
    /// of the model, if that is known.
    ///
    /// ```
    /// # use legwork_agent::{Agent, context::Context};
    /// # use legwork_agent::context::compaction::Policy;
    /// # use legwork_agent::context::transforms::TruncateResults;
    /// # use legwork_testkit::{ScriptedModel, Turn};
    /// # let model = ScriptedModel::new([Turn::text("done")]);
    /// let context = Context::new()
    ///     .transform(TruncateResults::new().bytes(20_000))
    ///     .compaction(Policy::new().share(80));
    /// let agent = Agent::builder(model).context(context).build();
    /// # agent.unwrap();
    /// ```
    #[must_use]
    pub fn context(self, context: Context) -> Self {
        Self { context, ..self }
    }

    /// Where sessions live. Without one each run has a new session, which is forgotten when it
    /// ends, and a run in a session of a given name is [`Error::NoStore`](crate::Error::NoStore).
    #[must_use]
    pub fn store_in(self, store: Arc<dyn Store>) -> Self {
        Self { store: Some(store), keeps: true, ..self }
    }

    /// Where time comes from.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Whether a store was given that keeps sessions.
    pub fn has_store(&self) -> bool {
        self.keeps
    }

    /// Where names come from.
    #[must_use]
    pub fn ids(self, ids: Arc<dyn Ids>) -> Self {
        Self { ids, ..self }
    }

    /// An observer of every run, in addition to those given before. One of several that panics
    /// gets no more events from this agent.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// Secrets that are masked in all that is written or shown, besides the keys of its models,
    /// which it knows.
    #[must_use]
    pub fn mask(self, mask: &Mask) -> Self {
        Self { mask: self.mask.and(mask), ..self }
    }

    /// A dependency that tools and hooks find by its type ([`ToolContext::dep`],
    /// [`StepView::dep`]); several are of several types.
    ///
    /// ```
    /// # use legwork_agent::Agent;
    /// # use legwork_testkit::{ScriptedModel, Turn};
    /// struct Mail(&'static str);
    /// struct Customer(u64);
    ///
    /// # let model = ScriptedModel::new([Turn::text("done")]);
    /// let agent = Agent::builder(model).dep(Mail("localhost")).dep(Customer(17)).build();
    /// # agent.unwrap();
    /// ```
    ///
    /// [`ToolContext::dep`]: legwork_port::ToolContext::dep
    /// [`StepView::dep`]: legwork_port::StepView::dep
    #[must_use]
    pub fn dep<T: Any + Send + Sync>(self, value: T) -> Self {
        if self.deps.get::<T>().is_some() {
            return self.problem(format!(
                "two dependencies have the type `{}`: wrap one in a type of its own",
                type_name::<T>()
            ));
        }
        self.in_place_of_dep(value)
    }

    pub(crate) fn in_place_of_dep<T: Any + Send + Sync>(self, value: T) -> Self {
        Self { deps: self.deps.with(value), ..self }
    }

    /// Notes a problem that [`Builder::build`] shall report.
    #[must_use]
    pub fn problem(mut self, problem: impl Into<String>) -> Self {
        self.problems.push(problem.into());
        self
    }
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder").field("id", &self.id).finish_non_exhaustive()
    }
}

//! The parts that names in definitions can refer to.

use std::sync::Arc;

use legwork_agent::toolset::SharedToolset;
use legwork_agent::{Agent, Builder, Capability, Subagent};
use legwork_core::Budget;
use legwork_definitions::{
    AgentDefinition, Definitions, Found, Problem, Problems, SkillCatalog, line_of,
};
use legwork_port::{Model, Tool};
use serde_json::Value;

use super::install;
use super::resolve::{self, Role};
use crate::skills::prompt::instead;

pub(super) type Models = Arc<dyn Fn(&str) -> Result<Arc<dyn Model>, String> + Send + Sync>;
pub(super) type Capabilities =
    Arc<dyn Fn(&str, Option<&Value>) -> Result<Arc<dyn Capability>, String> + Send + Sync>;

/// The parts that names in definitions can refer to: models, tools, skills and others.
#[derive(Clone)]
#[must_use]
pub struct Parts {
    pub(super) agents: Definitions,
    pub(super) skills: SkillCatalog,
    pub(super) models: Option<Models>,
    pub(super) default_model: Option<String>,
    pub(super) capabilities: Option<Capabilities>,
    pub(super) tools: Vec<Arc<dyn Tool>>,
    pub(super) known_tools: Vec<String>,
    pub(super) servers: Vec<SharedToolset>,
    known_servers: Vec<String>,
    pub(super) budget: Budget,
}

impl Parts {
    /// Parts with these agents, each of which may spawn the others, and nothing else.
    pub fn new(agents: Definitions) -> Self {
        Self {
            agents,
            skills: SkillCatalog::default(),
            models: None,
            default_model: None,
            capabilities: None,
            tools: Vec::new(),
            known_tools: Vec::new(),
            servers: Vec::new(),
            known_servers: Vec::new(),
            budget: Budget::guards(),
        }
    }

    /// Sets the function that makes models by `provider:name`; its error is the reason.
    pub fn models<M: Model + 'static>(
        self,
        models: impl Fn(&str) -> Result<M, String> + Send + Sync + 'static,
    ) -> Self {
        let models: Models = Arc::new(move |name| Ok(Arc::new(models(name)?) as Arc<dyn Model>));
        Self { models: Some(models), ..self }
    }

    /// Sets the model of agents whose definition names none.
    pub fn default_model(self, name: impl Into<String>) -> Self {
        Self { default_model: Some(name.into()), ..self }
    }

    /// Sets the function that makes capabilities by name and settings; its error is the reason.
    pub fn capabilities(
        self,
        make: impl Fn(&str, Option<&Value>) -> Result<Arc<dyn Capability>, String>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self { capabilities: Some(Arc::new(make)), ..self }
    }

    /// Adds tools, which agents have if their definitions allow it.
    pub fn tools<T: Tool + 'static>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools.extend(tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>));
        self
    }

    /// Adds names of tools that definitions may list even if the tools are not among the parts.
    pub fn known_tools<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.known_tools.extend(names.into_iter().map(Into::into));
        self
    }

    /// Adds MCP servers, whose tools agents have if their definitions allow it.
    ///
    /// A definition names a server by the name of its toolset. Servers that it does not name are
    /// not opened for its agent.
    pub fn mcp_servers<S: Into<SharedToolset>>(
        mut self,
        servers: impl IntoIterator<Item = S>,
    ) -> Self {
        self.servers.extend(servers.into_iter().map(Into::into));
        self
    }

    /// Adds names of MCP servers that definitions may list even if the servers are not among the
    /// parts.
    ///
    /// A [`subagent`](Self::subagent) inherits the toolsets of its parent. Those that are MCP
    /// servers have to be named here, or be among the parts, so that its definition can leave
    /// them out.
    pub fn known_mcp_servers<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        self.known_servers.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the skills that definitions can name.
    pub fn skills(self, skills: SkillCatalog) -> Self {
        Self { skills, ..self }
    }

    /// Sets the limits where a definition has none; by default [`Budget::guards`].
    pub fn budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// The problems with the names in a definition, warnings included.
    pub fn check(&self, agent: &Found<AgentDefinition>) -> Vec<Problem> {
        let mut problems = resolve::resolve(self, agent, Role::Root).problems;
        if let Some(Err(problem)) = self.model_of(&agent.value, agent) {
            problems.push(problem);
        }
        problems
    }

    /// A builder of an agent by its name, with its model, tools, skills, subagents and limits.
    ///
    /// It has no store yet.
    ///
    /// # Errors
    /// If there is no such agent, or its definition has an unknown name.
    pub fn agent(&self, name: &str) -> Result<Builder, Problems> {
        let Some(found) = self.agents.get(name) else {
            let names: Vec<_> = self.agents.iter().map(|(name, _)| name).collect();
            let mend = instead(name, &names, "agents");
            return Err(Problem::new(format!("there is no agent `{name}`"), mend).into());
        };
        let problems = self.check(found);
        Problems::unless_right(problems)?;
        match self.model_of(&found.value, found) {
            Some(Ok(model)) => self.install(found, Agent::builder(model)),
            Some(Err(problem)) => Err(problem.into()),
            None => {
                let mend = "add a line such as `model: openai:gpt-5-mini`";
                let problem = Problem::new("it names no model", mend).on_field("model");
                Err(problem.in_file(&found.file).into())
            }
        }
    }

    /// Installs a definition on the builder of an agent, except its model.
    ///
    /// Other agents with problems do not become its subagents; see [`check`](Self::check).
    ///
    /// # Errors
    /// If the definition has an unknown name.
    pub fn install(
        &self,
        agent: &Found<AgentDefinition>,
        builder: Builder,
    ) -> Result<Builder, Problems> {
        install::root(self, agent, builder)
    }

    /// A subagent of a definition, which can use only tools of its parent.
    ///
    /// The parent must have the models that its skills require.
    ///
    /// # Errors
    /// If the definition has an unknown name.
    pub fn subagent(&self, agent: &Found<AgentDefinition>) -> Result<Subagent, Problems> {
        install::subagent(self, agent)
    }

    /// The names of all MCP servers that definitions may list.
    pub(super) fn server_names(&self) -> impl Iterator<Item = String> {
        let given = self.servers.iter().map(|server| server.name().to_string());
        given.chain(self.known_servers.iter().cloned())
    }

    /// The model that a definition names, or else the default one; none if there is neither.
    pub(super) fn model_of(
        &self,
        definition: &AgentDefinition,
        found: &Found<AgentDefinition>,
    ) -> Option<Result<Arc<dyn Model>, Problem>> {
        let name = definition.model.as_deref().or(self.default_model.as_deref())?;
        let model = resolve::model(self, name);
        Some(model.map_err(|problem| {
            let line = line_of(&found.file, "model");
            problem.on_field("model").on_line(line).in_file(&found.file)
        }))
    }
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts").field("agents", &self.agents.len()).finish_non_exhaustive()
    }
}

//! What the agent works with: flags, else the session, else the environment, else files.
//!
//! What a session remembers narrows what the rest says, and never loosens it: its journal may
//! have been written by others ([`walls`], [`address`]).

mod address;
mod again;
mod options;
mod own_model;
mod permissions;
mod project;
mod unusable;
mod walls;

use std::path::PathBuf;

use legwork::core::{AgentState, Budget, ModelSettings};
use legwork::model::Catalogue;
use legwork::skills::base_model;
use legwork::tools::sandbox::Network;

pub(crate) use self::address::{around, named as named_address};
pub(crate) use self::permissions::Asking;
use self::project::Named;
pub(crate) use self::project::not_named;
use self::unusable::{check_provider, no_model};
use self::walls::{Walls, dir};
use crate::agents::{Chosen, Other};
use crate::args::{self, Sandbox};
use crate::config::{
    AllowPath, Answers, Config, Credential, Limits, Remembered, Retry, Search, Source, Sourced,
    WebHosts, ceiling, max_write, not_taken, variable_of,
};
use crate::error::Error;
use crate::mcp::Servers;
use crate::model::ModelOptions;
use crate::notify::Notify;
use crate::recorded::{BaseUrl, By, ProjectContext, Recorded};
use crate::store_address::StoreAddress;
use crate::telemetry::Collector;
use crate::traffic::Traffic;
use crate::trust::{Asks, Trust};

pub(crate) const DEFAULT_MODEL: &str = "openai:gpt-5-mini";
/// Steps by default; no time limit. The number is that of rule S3.6.
const DEFAULT_STEPS: u64 = 100;

/// What the agent works with, and where each of it came from.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) model: Sourced<String>,
    /// What the model is asked with.
    pub(crate) asked: ModelSettings,
    /// Where the model is served; none is where its provider always is.
    pub(crate) base_url: Option<Sourced<String>>,
    /// Where its key is; none if it gets none.
    pub(crate) key: Option<Credential>,
    pub(crate) dir: Sourced<PathBuf>,
    pub(crate) sandbox: Sourced<Sandbox>,
    /// Which network commands in a sandbox reach.
    pub(crate) network: Sourced<Network>,
    /// Paths beside the directory that the agent may use.
    pub(crate) allow_paths: Vec<Sourced<AllowPath>>,
    pub(crate) context: ProjectContext,
    /// The tools that the agent has; none if it has all.
    pub(crate) tools: Option<Vec<String>>,
    /// When a person is asked before a call runs, and which calls run without it, or never.
    pub(crate) asking: Asking,
    pub(crate) limits: Limits,
    /// The limits of the agent itself: without what was set for the session.
    own_limits: Limits,
    /// The agent's own model, where another one was set for the session.
    pub(crate) own_model: Option<Other>,
    /// The limits of the user's own settings, without flags.
    pub(crate) ceiling: Budget,
    /// For how long failed requests to the model are repeated.
    pub(crate) retry: Retry,
    /// How much a command may write to a disk, in bytes.
    pub(crate) max_write: Sourced<u64>,
    /// What models cost, as the user says.
    pub(crate) catalogue: Catalogue,
    /// The bounds of an answer.
    pub(crate) answers: Answers,
    /// The hosts whose pages are read, of those that the network includes.
    pub(crate) web: WebHosts,
    /// The MCP servers whose tools the agent has.
    pub(crate) mcp: Servers,
    /// The search engine, if there is one.
    pub(crate) search: Option<Search>,
    /// Where its key is; none if it gets none.
    pub(crate) search_key: Option<Credential>,
    /// Where what models are sent and answer is written, if anywhere.
    pub(crate) traffic: Option<Traffic>,
    /// The agent of a file, if one was asked for.
    pub(crate) agent: Option<Chosen>,
    /// Flags that would restore what the session had and is not taken from its journal.
    pub(crate) looser: Vec<String>,
    /// Limits of the project that are not taken, and where they stand.
    pub(crate) not_taken: Vec<(&'static str, Source)>,
    /// The project's model, if it is not used, and where it is set.
    pub(crate) refused: Option<Sourced<String>>,
    /// Which files of the project are used.
    pub(crate) trust: Trust,
    /// Whether the agent may write to the user's own file of settings.
    pub(crate) exposed: bool,
    /// Legwork's own files and folders, which no tool opens and no command sees.
    pub(crate) own: Vec<PathBuf>,
    /// The file of the store that sessions are written to, if it is a file.
    pub(crate) store: Option<PathBuf>,
    /// What is told when a run ends or waits.
    pub(crate) notify: Option<Notify>,
    /// Where traces and metrics are sent.
    pub(crate) telemetry: Option<Collector>,
}

/// A variable of the environment that is set to something.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl Settings {
    /// What commands may write.
    pub(crate) fn writable(&self) -> Vec<PathBuf> {
        let allowed = self.allow_paths.iter().map(|path| &path.value);
        let allowed = allowed.filter(|path| path.is_written()).map(|path| path.path.clone());
        std::iter::once(self.dir.value.clone()).chain(allowed).collect()
    }

    /// For a new session; the user may be asked whether the project is trusted.
    pub(crate) fn fresh(flags: &args::Agent, config: &Config, asks: Asks) -> Result<Self, Error> {
        let settings = Self::begun(flags, config, asks)?;
        match (&settings.model.source, &settings.key) {
            (Source::Default, None) => Err(no_model(settings.base_url.as_ref())),
            _ => Ok(settings),
        }
    }

    /// The same, though there may be no model that can be asked.
    pub(crate) fn shown(flags: &args::Agent, config: &Config) -> Result<Self, Error> {
        Self::begun(flags, config, Asks::Never)
    }

    fn begun(flags: &args::Agent, config: &Config, asks: Asks) -> Result<Self, Error> {
        let recorded = Recorded::default();
        let config = config.with_permissions(flags.permissions())?;
        let trust = project::trust(flags, &config, &recorded)?.asked(asks)?;
        let mut config = config.with_project(&trust)?;
        let agent = Chosen::of(flags, None, &trust)?;
        let environment = text("LEGWORK_MODEL")?;
        let named = Named { flags, environment: environment.as_ref() };
        let given = config.project_model();
        let mut refused = given.filter(|model| !named.has(provider(&model.value), &config));
        if refused.is_some() {
            config.leave_model();
        }
        let mut own = agent.as_ref().and_then(Chosen::model);
        if agent.as_ref().is_some_and(Chosen::is_of_project) {
            let refuse = |model: &mut Sourced<String>| !named.has(provider(&model.value), &config);
            refused = own.take_if(refuse).or(refused);
        }
        // What a project says counts less than what the person says.
        let above = match agent.as_ref().is_some_and(Chosen::is_of_project) {
            true => environment.or(own),
            false => own.or(environment),
        };
        let model = Sourced::new(DEFAULT_MODEL.to_owned(), Source::Default)
            .or(config.value(|values| &values.model))
            .or(flag(&flags.model, "--model").or(above));
        let (model, asked) = options::of(flags, model, None)?;
        let remembered = Remembered::default();
        let chosen = (agent, trust);
        let mut settings = Self::with(flags, &config, model, &recorded, &remembered, chosen)?;
        settings.asked = asked;
        let above = matches!(settings.model.source, Source::Flag(_) | Source::Environment(_));
        settings.refused = refused.filter(|_| !above);
        if let Some(agent) = &settings.agent {
            agent.limit(&mut settings.limits);
            agent.limit(&mut settings.own_limits);
        }
        Ok(settings)
    }

    /// For a session that was begun before.
    pub(crate) fn of_session(
        flags: &args::Agent,
        config: &Config,
        state: &AgentState,
        asks: Asks,
    ) -> Result<Self, Error> {
        let config = &config.with_permissions(flags.permissions())?;
        // Only the servers of the project's file are read, and only while it is unchanged: a
        // session keeps the other settings that it was begun with.
        let facts = state.facts();
        let definition = facts.own_definition();
        // Not the one that a skill wants meanwhile.
        let before = &*base_model(state);
        let model = Sourced::new(before.to_owned(), Source::Session);
        let model = model.or(flag(&flags.model, "--model"));
        let own = ModelSettings { model: before.into(), ..definition.settings.clone() };
        let (model, asked) = options::of(flags, model, Some(&own))?;
        let recorded = recorded(state, &model.value);
        let trust = project::trust(flags, config, &recorded)?.asked(asks)?;
        let agent = Chosen::of(flags, recorded.agent.as_ref(), &trust)?;
        let remembered = Remembered::of(&facts.definition.budget);
        let chosen = (agent, trust);
        let mut settings = Self::with(flags, config, model, &recorded, &remembered, chosen)?;
        settings.asked = asked;
        let own = Remembered::of(&definition.budget);
        settings.own_limits = Limits::of(config, &own, flags, DEFAULT_STEPS)?;
        settings.own_model = settings.defined_model(state, config)?;
        let base_url = settings.base_url.as_ref();
        address::check_local(&settings.model, state.session(), base_url, config)?;
        settings.looser.extend(settings.limits.below(&remembered));
        Ok(settings)
    }

    fn with(
        flags: &args::Agent,
        config: &Config,
        model: Sourced<String>,
        recorded: &Recorded,
        remembered: &Remembered,
        (agent, trust): (Option<Chosen>, Trust),
    ) -> Result<Self, Error> {
        let base_url = address::of(flags, recorded, around(provider(&model.value), config)?)?;
        check_provider(provider(&model.value), base_url.as_ref(), config)?;
        let dir = dir(flags, recorded)?;
        let Walls { sandbox, network, allow_paths, mut looser } =
            Walls::of(flags, config, recorded)?;
        let asking = Asking::of(flags, config, recorded, &mut looser)?;
        let mut written =
            allow_paths.iter().map(|path| &path.value).filter(|path| path.is_written());
        // In a sandbox, and for all other tools, that file does not exist.
        let exposed = sandbox.value == Sandbox::Off
            && (config.is_in(&dir.value) || written.any(|path| config.is_in(&path.path)));
        let key = Credential::find(provider(&model.value), config);
        let search = config.search().map(|search| search.value);
        let search_key =
            search.as_ref().and_then(|search| Credential::find(&search.provider, config));
        let keys = [&key, &search_key].map(|key| key.as_ref().and_then(Credential::file));
        let mcp_tools = flags.tools.clone().or_else(|| recorded.mcp_tools.clone());
        let mcp = Servers::of(config, &trust, mcp_tools);
        let of_servers = mcp.all.values().flat_map(|server| server.value.files());
        let own = config.own_files().chain(keys.into_iter().flatten()).chain(of_servers).collect();
        let tools = flags.tools.clone().or_else(|| recorded.tools.clone());
        let limits = Limits::of(config, remembered, flags, DEFAULT_STEPS)?;
        let mut settings = Self {
            key,
            own,
            store: None,
            notify: None,
            telemetry: Collector::of(config)?,
            base_url,
            dir,
            exposed,
            not_taken: not_taken(config, DEFAULT_STEPS),
            refused: None,
            trust,
            looser,
            sandbox,
            network,
            allow_paths,
            context: match flags.no_context {
                true => ProjectContext::LeftOut,
                false => recorded.context,
            },
            tools: agent.as_ref().map_or_else(|| tools.clone(), |agent| agent.tools(tools.clone())),
            asking,
            limits: limits.clone(),
            own_limits: limits,
            own_model: None,
            ceiling: ceiling(config)?,
            retry: Retry::of(config, flags)?,
            max_write: max_write(config, flags)?,
            catalogue: config.catalogue(),
            answers: config.bounds().map(|bounds| bounds.value).unwrap_or_default(),
            web: config.web().map(|web| web.value).unwrap_or_default(),
            mcp,
            search,
            search_key,
            traffic: flags.traffic.as_deref().map(Traffic::to).transpose()?,
            agent,
            asked: ModelSettings::default(),
            model,
        };
        settings.notify = Notify::of(config, &settings);
        let environment = text("LEGWORK_MODEL")?;
        let named = Named { flags, environment: environment.as_ref() };
        let wanted = settings.agent.as_ref().map(Chosen::wanted_of).unwrap_or_default();
        let others = wanted.into_iter().map(|(name, of_project)| {
            match of_project && !named.has(provider(&name), config) {
                true => Ok(Other::refused(name)),
                false => Other::of(name, &settings, config),
            }
        });
        let others = others.collect::<Result<_, _>>()?;
        if let Some(agent) = &mut settings.agent {
            agent.others = others;
        }
        Ok(settings)
    }

    /// The same with the store that sessions are written to.
    pub(crate) fn in_store(self, address: &StoreAddress) -> Self {
        Self { store: address.path().map(PathBuf::from), ..self }
    }

    /// Whether the agent has a tool of this name, if there is one.
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.tools.as_ref().is_none_or(|chosen| chosen.iter().any(|tool| tool == name))
    }

    /// Warnings about settings of the project that are not used.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut lines = self.trust.warnings();
        lines.extend(self.refused.as_ref().map(|model| {
            let (name, source) = (&model.value, &model.source);
            format!("the model {name} in {source} is not taken: {}", not_named(name))
        }));
        lines.extend(self.agent.iter().flat_map(Chosen::passed_over));
        lines.extend(self.mcp.warnings.iter().cloned());
        lines
    }

    /// How its models are asked.
    pub(crate) fn model_options(&self) -> ModelOptions {
        let (retry, catalogue) = (self.retry.policy(), self.catalogue.clone());
        ModelOptions { retry, catalogue, answers: self.answers, traffic: self.traffic.clone() }
    }

    /// The limits that hold.
    pub(crate) fn budget(&self) -> Budget {
        self.limits.budget()
    }

    /// The limits that the agent is defined with.
    pub(crate) fn own_budget(&self) -> Budget {
        self.own_limits.budget()
    }

    /// What the session shall remember, but for the directory.
    pub(crate) fn record(&self) -> Recorded {
        let base_url = self.base_url.as_ref().map(|url| match url.source {
            Source::Flag(_) => BaseUrl::of(&url.value, By::Flag),
            _ => BaseUrl::of(&url.value, By::Environment),
        });
        let (approve, rules, allowed_by) = self.asking.record();
        Recorded {
            dir: None,
            base_url,
            sandbox: Some(self.sandbox.value),
            network: Some(self.network.value.to_string())
                .filter(|_| self.network.source != Source::Default),
            allow_paths: self.allow_paths.iter().map(|path| path.value.to_string()).collect(),
            context: self.context,
            tools: self.tools.clone(),
            mcp_tools: self.mcp.only.clone(),
            approve,
            rules,
            allowed_by,
            agent: self.agent.as_ref().map(Chosen::record),
        }
    }
}

/// What a session remembers, for a model to go on with: another provider is not asked for at the
/// address of the one before.
fn recorded(state: &AgentState, model: &str) -> Recorded {
    let recorded = Recorded::of(state);
    let before = &state.facts().own_definition().settings.model;
    let base_url = recorded.base_url.filter(|_| provider(model) == provider(before));
    Recorded { base_url, ..recorded }
}

/// Refuses a model whose provider cannot be meant.
///
/// # Errors
/// When its name looks like a typing error.
pub(crate) fn check_model(model: &str, config: &Config) -> Result<(), Error> {
    let of = provider(model);
    check_provider(of, around(of, config)?.as_ref(), config)
}

fn flag<T: Clone>(value: &Option<T>, name: &'static str) -> Option<Sourced<T>> {
    value.clone().map(|value| Sourced::new(value, Source::Flag(name)))
}

fn text(name: &'static str) -> Result<Option<Sourced<String>>, Error> {
    variable_of(name, |text| Ok(text.to_owned()))
}

/// What stands before the colon of a model's name.
pub(crate) fn provider(model: &str) -> &str {
    model.split(':').next().unwrap_or_default()
}

/// Whether it is a server of this machine that wants no key.
pub(crate) fn is_local(provider: &str) -> bool {
    legwork::model::provider(provider).is_some_and(legwork::model::Provider::is_local)
}

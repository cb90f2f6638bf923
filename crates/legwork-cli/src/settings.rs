//! What the agent works with: flags, else the session, else the environment, else files.

use std::path::PathBuf;

use legwork::core::{AgentState, Budget};
use legwork::model::Prices;
use legwork::skills::base_model;

use crate::agents::{Chosen, Other};
use crate::args::{self, Network, Sandbox};
use crate::config::{
    AllowPath, Config, Credential, Limits, Remembered, Retry, Source, Sourced, not_taken, one_of,
    switch, variable_of,
};
use crate::error::Error;
use crate::recorded::{BaseUrl, By, ProjectContext, Recorded};

pub(crate) const DEFAULT_MODEL: &str = "openai:gpt-5-mini";
/// Steps unless told; no time limit. The number is that of rule S3.6.
const DEFAULT_STEPS: u64 = 100;
const BASE_URL: &str = "OPENAI_BASE_URL";
/// From here on an unknown provider's name is taken for a typing error of a known one.
const LIKENESS: f64 = 0.6;

/// What the agent works with, and where each of it came from.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) model: Sourced<String>,
    /// Where the model is served; none is where its provider always is.
    pub(crate) base_url: Option<Sourced<String>>,
    /// Where its key is; none if it gets none.
    pub(crate) key: Option<Credential>,
    pub(crate) dir: PathBuf,
    pub(crate) sandbox: Sourced<Sandbox>,
    /// Which network commands in a sandbox reach.
    pub(crate) network: Sourced<Network>,
    /// Paths beside the directory that the agent may use.
    pub(crate) allow_paths: Vec<Sourced<AllowPath>>,
    pub(crate) context: ProjectContext,
    /// The tools that the agent has; none if it has all.
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) limits: Limits,
    /// For how long failed requests to the model are repeated.
    pub(crate) retry: Retry,
    /// What else the agent's definition limits.
    pub(crate) more: Budget,
    /// What models cost, as the user says.
    pub(crate) prices: Prices,
    /// The agent of a file, if one was asked for.
    pub(crate) agent: Option<Chosen>,
    /// Limits of the project that are not taken, and where they stand.
    pub(crate) not_taken: Vec<(&'static str, Source)>,
    /// Whether the agent may write to the user's own file of settings.
    pub(crate) exposed: bool,
}

/// A variable of the environment that is set to something.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl Settings {
    /// For a new session.
    pub(crate) fn fresh(flags: &args::Agent, config: &Config) -> Result<Self, Error> {
        let settings = Self::shown(flags, config)?;
        match (&settings.model.source, &settings.key) {
            (Source::Default, None) => Err(no_model()),
            _ => Ok(settings),
        }
    }

    /// The same, though there may be no model that can be asked.
    pub(crate) fn shown(flags: &args::Agent, config: &Config) -> Result<Self, Error> {
        let recorded = Recorded::default();
        let config = config.with_project(&dir(flags, &recorded))?;
        let agent = Chosen::of(flags, None, &dir(flags, &recorded))?;
        let environment = text("LEGWORK_MODEL")?;
        let own = agent.as_ref().and_then(Chosen::model);
        // What a project says counts less than what the person says.
        let above = match agent.as_ref().is_some_and(Chosen::is_of_project) {
            true => environment.or(own),
            false => own.or(environment),
        };
        let model = Sourced::new(DEFAULT_MODEL.to_owned(), Source::Default)
            .or(config.value(|values| &values.model))
            .or(flag(&flags.model, "--model").or(above));
        let mut settings =
            Self::with(flags, &config, model, &recorded, &Remembered::default(), agent)?;
        if let Some(agent) = &settings.agent {
            settings.more = agent.limit(&mut settings.limits);
        }
        Ok(settings)
    }

    /// For a session that was begun before.
    pub(crate) fn of_session(
        flags: &args::Agent,
        config: &Config,
        state: &AgentState,
    ) -> Result<Self, Error> {
        // The project's file is not read again: the agent may have written it by now.
        let mut recorded = Recorded::of(state);
        let definition = &state.facts().definition;
        // Not the one that a skill wants meanwhile.
        let before = &*base_model(state);
        let model = Sourced::new(before.to_owned(), Source::Session);
        let model = model.or(flag(&flags.model, "--model"));
        if provider(&model.value) != provider(before) {
            // Another provider is not asked for at the address of the one before.
            recorded.base_url = None;
        }
        let agent = Chosen::of(flags, recorded.agent.as_ref(), &dir(flags, &recorded))?;
        let remembered = Remembered::of(&definition.budget);
        let mut settings = Self::with(flags, config, model, &recorded, &remembered, agent)?;
        let Budget { tool_calls, input_tokens, output_tokens, .. } = definition.budget;
        settings.more = Budget { tool_calls, input_tokens, output_tokens, ..Budget::unlimited() };
        Ok(settings)
    }

    fn with(
        flags: &args::Agent,
        config: &Config,
        model: Sourced<String>,
        recorded: &Recorded,
        remembered: &Remembered,
        agent: Option<Chosen>,
    ) -> Result<Self, Error> {
        let base_url = match flag(&flags.base_url, "--base-url") {
            Some(url) => Some(url),
            None => self::remembered(recorded, around(provider(&model.value), config)?)?,
        };
        check_provider(provider(&model.value), base_url.as_ref(), config)?;
        let (dir, allow_paths) = (dir(flags, recorded), allow_paths(flags, config, recorded)?);
        let mut written =
            allow_paths.iter().map(|path| &path.value).filter(|path| path.is_written());
        let exposed = config.is_in(&dir) || written.any(|path| config.is_in(&path.path));
        let tools = flags.tools.clone().or_else(|| recorded.tools.clone());
        let mut settings = Self {
            key: Credential::find(provider(&model.value), config),
            base_url,
            dir,
            exposed,
            not_taken: not_taken(config, DEFAULT_STEPS),
            sandbox: Sourced::new(Sandbox::default(), Source::Default)
                .or(config.value(|values| &values.sandbox))
                .or(variable_of("LEGWORK_SANDBOX", one_of)?)
                .or(recorded.sandbox.map(|sandbox| Sourced::new(sandbox, Source::Session)))
                .or(flag(&flags.sandbox, "--sandbox")),
            network: Sourced::new(Network::default(), Source::Default)
                .or(config.value(|values| &values.network).map(network))
                .or(variable_of("LEGWORK_NETWORK", switch)?.map(network))
                .or(recorded.network.map(|on| network(Sourced::new(on, Source::Session))))
                .or(flag(&flags.network, "--network")),
            allow_paths,
            context: match flags.no_context {
                true => ProjectContext::LeftOut,
                false => recorded.context,
            },
            tools: agent.as_ref().map_or_else(|| tools.clone(), |agent| agent.tools(tools.clone())),
            limits: Limits::of(config, remembered, flags, DEFAULT_STEPS)?,
            retry: Retry::of(config, flags)?,
            more: Budget::unlimited(),
            prices: config.prices(),
            agent,
            model,
        };
        let wanted = settings.agent.as_ref().map(Chosen::wanted).unwrap_or_default();
        let others = wanted.into_iter().map(|name| Other::of(name, &settings, config));
        let others = others.collect::<Result<_, _>>()?;
        if let Some(agent) = &mut settings.agent {
            agent.others = others;
        }
        Ok(settings)
    }

    /// Whether the agent has a tool of this name, if there is one.
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.tools.as_ref().is_none_or(|chosen| chosen.iter().any(|tool| tool == name))
    }

    /// The limits as the agent keeps them.
    pub(crate) fn budget(&self) -> Budget {
        let Limits { steps, cost, tokens, active_time } = &self.limits;
        Budget {
            steps: steps.value,
            cost: cost.value,
            total_tokens: tokens.value,
            active_time: active_time.value.map(Into::into),
            ..self.more.clone()
        }
    }

    /// What the session shall remember, but for the directory.
    pub(crate) fn record(&self) -> Recorded {
        let base_url = self.base_url.as_ref().map(|url| match url.source {
            Source::Flag(_) => BaseUrl::of(&url.value, By::Flag),
            _ => BaseUrl::of(&url.value, By::Environment),
        });
        Recorded {
            dir: None,
            base_url,
            sandbox: Some(self.sandbox.value),
            network: Some(true).filter(|_| self.network.value == Network::Host),
            allow_paths: self.allow_paths.iter().map(|path| path.value.to_string()).collect(),
            context: self.context,
            tools: self.tools.clone(),
            agent: self.agent.as_ref().map(Chosen::record),
        }
    }
}

/// Files and the environment say whether; flags say which.
fn network(on: Sourced<bool>) -> Sourced<Network> {
    let value = if on.value { Network::Host } else { Network::Off };
    Sourced::new(value, on.source)
}

fn flag<T: Clone>(value: &Option<T>, name: &'static str) -> Option<Sourced<T>> {
    value.clone().map(|value| Sourced::new(value, Source::Flag(name)))
}

fn text(name: &'static str) -> Result<Option<Sourced<String>>, Error> {
    variable_of(name, |text| Ok(text.to_owned()))
}

fn dir(flags: &args::Agent, recorded: &Recorded) -> PathBuf {
    let dir = flags.dir.clone().or_else(|| recorded.dir.as_ref().map(PathBuf::from));
    dir.unwrap_or_else(|| PathBuf::from("."))
}

/// Where a provider is served by environment and files.
///
/// `OPENAI_BASE_URL` and the file's `base_url` are for who has no address of its own.
pub(crate) fn around(provider: &str, config: &Config) -> Result<Option<Sourced<String>>, Error> {
    let own = config.provider_url(provider);
    let openai = legwork::model::key_variable(provider) == Some("OPENAI_API_KEY");
    if is_local(provider) || (own.is_some() && !openai) {
        return Ok(own);
    }
    let environment = text(BASE_URL)?;
    Ok(environment.or(own).or_else(|| config.value(|values| &values.base_url)))
}

/// An address by flag holds for the session; one from the environment, until that says
/// another.
fn remembered(
    recorded: &Recorded,
    around: Option<Sourced<String>>,
) -> Result<Option<Sourced<String>>, Error> {
    match &recorded.base_url {
        Some(BaseUrl { url: Some(url), by: By::Flag }) => {
            // Told again as by flag, so that it goes on to hold.
            Ok(Some(Sourced::new(url.clone(), Source::Flag("--base-url"))))
        }
        Some(BaseUrl { url: Some(url), by: By::Environment }) => {
            Ok(around.or_else(|| Some(Sourced::new(url.clone(), Source::Session))))
        }
        Some(BaseUrl { url: None, by: By::Environment }) if around.is_some() => Ok(around),
        Some(BaseUrl { url: None, .. }) => Err(Error::usage(
            "the session's base URL is not known: it may hold a secret and was not written down",
            "give it again with --base-url",
        )),
        None => Ok(around),
    }
}

/// The paths of the session, else those of the user's file; flags add to them.
fn allow_paths(
    flags: &args::Agent,
    config: &Config,
    recorded: &Recorded,
) -> Result<Vec<Sourced<AllowPath>>, Error> {
    let here = std::env::current_dir()
        .map_err(|source| Error::System { doing: "finding the current directory", source });
    let here = if flags.allow_path.is_empty() { PathBuf::new() } else { here? };
    let parse = |text: &String, source: Source| {
        let parsed = AllowPath::parse(text, &here);
        let parsed = parsed.map(|path| Sourced::new(path, source));
        parsed.map_err(|why| {
            let hint = "name one as --allow-path PATH, or PATH:ro to have it only read";
            Error::usage(format!("{text:?} cannot be allowed: {why}"), hint)
        })
    };
    let mut paths = match recorded.allow_paths.as_slice() {
        [] => config.allow_paths(),
        texts => {
            texts.iter().map(|text| parse(text, Source::Session)).collect::<Result<_, Error>>()?
        }
    };
    for text in &flags.allow_path {
        let added = parse(text, Source::Flag("--allow-path"))?;
        // What is said of a path last is what holds.
        paths.retain(|path| path.value.path != added.value.path);
        paths.push(added);
    }
    Ok(paths)
}

/// What stands before the colon of a model's name.
pub(crate) fn provider(model: &str) -> &str {
    model.split(':').next().unwrap_or_default()
}

/// Whether it is a server of this machine that wants no key.
pub(crate) fn is_local(provider: &str) -> bool {
    let known = legwork::model::providers().any(|known| known == provider);
    known && legwork::model::key_variable(provider).is_none()
}

/// Refuses a provider whose name looks like a typing error, unless its address was given.
///
/// # Errors
/// The known provider that is meant.
fn check_provider(
    provider: &str,
    base_url: Option<&Sourced<String>>,
    config: &Config,
) -> Result<(), Error> {
    let by_person = |url: &Sourced<String>| matches!(url.source, Source::Flag(_) | Source::Session);
    let has_address = base_url.is_some_and(by_person) || config.provider_url(provider).is_some();
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(provider, known);
    let meant = legwork::model::providers()
        .filter(|known| likeness(known) >= LIKENESS)
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match meant {
        Some(meant) if meant != provider && !has_address => Err(Error::usage(
            format!("the provider `{provider}` is not known: did you mean `{meant}`?"),
            format!(
                "name a known provider with --model, or give the address of `{provider}` with \
                 --base-url or in [providers.{provider}]"
            ),
        )),
        _ => Ok(()),
    }
}

fn no_model() -> Error {
    Error::usage(
        "no model is set up",
        format!(
            "set OPENAI_API_KEY to work with {DEFAULT_MODEL}, or name another model with --model \
             or LEGWORK_MODEL, such as ollama:qwen3; `legwork help config` says how to keep it"
        ),
    )
}

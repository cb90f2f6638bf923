//! What the agent works with: flags, else the session, else the environment.

use std::path::PathBuf;

use legwork::core::AgentState;

use crate::args::{self, Sandbox};
use crate::error::Error;
use crate::recorded::{BaseUrl, By, Recorded};

const DEFAULT_MODEL: &str = "openai:gpt-5-mini";
/// Steps unless told; no time limit. The number is that of rule S3.6.
const DEFAULT_STEPS: u64 = 100;

/// What the agent works with.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) model: String,
    pub(crate) base_url: Option<(String, By)>,
    pub(crate) key: Option<String>,
    pub(crate) dir: PathBuf,
    pub(crate) sandbox: Sandbox,
    pub(crate) max_steps: u64,
}

/// A variable of the environment that is set to something.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl Settings {
    /// For a new session.
    pub(crate) fn fresh(flags: &args::Agent) -> Result<Self, Error> {
        let key = variable("OPENAI_API_KEY");
        let named = flags.model.clone().or_else(|| variable("LEGWORK_MODEL"));
        let model = match named {
            Some(model) => model,
            None if key.is_some() => DEFAULT_MODEL.to_owned(),
            None => return Err(no_model()),
        };
        Self::with(flags, model, &Recorded::default(), DEFAULT_STEPS)
    }

    /// For a session that was begun before.
    pub(crate) fn of_session(flags: &args::Agent, state: &AgentState) -> Result<Self, Error> {
        let mut recorded = Recorded::of(state);
        let definition = &state.facts().definition;
        let before = &*definition.settings.model;
        let model = flags.model.clone().unwrap_or_else(|| before.to_owned());
        if provider(&model) != provider(before) {
            // Another provider is not asked for at the address of the one before.
            recorded.base_url = None;
        }
        let steps = definition.budget.steps.unwrap_or(DEFAULT_STEPS);
        Self::with(flags, model, &recorded, steps)
    }

    fn with(
        flags: &args::Agent,
        model: String,
        recorded: &Recorded,
        steps: u64,
    ) -> Result<Self, Error> {
        let local = is_local(provider(&model));
        let base_url = match &flags.base_url {
            Some(url) => Some((url.clone(), By::Flag)),
            None => remembered(recorded, local)?,
        };
        let dir = flags.dir.clone().or_else(|| recorded.dir.as_ref().map(PathBuf::from));
        Ok(Self {
            key: variable("OPENAI_API_KEY").filter(|_| !local),
            base_url,
            dir: dir.unwrap_or_else(|| PathBuf::from(".")),
            sandbox: flags.sandbox.unwrap_or(recorded.sandbox),
            max_steps: flags.max_steps.unwrap_or(steps),
            model,
        })
    }
}

/// An address by flag holds for the session; one from the environment, until that says
/// another.
fn remembered(recorded: &Recorded, local: bool) -> Result<Option<(String, By)>, Error> {
    let environment = variable("OPENAI_BASE_URL").filter(|_| !local);
    let environment = environment.map(|url| (url, By::Environment));
    match &recorded.base_url {
        Some(BaseUrl { url: Some(url), by: By::Flag }) => Ok(Some((url.clone(), By::Flag))),
        Some(BaseUrl { url: Some(url), by: By::Environment }) => {
            Ok(environment.or_else(|| Some((url.clone(), By::Environment))))
        }
        Some(BaseUrl { url: None, by: By::Environment }) if environment.is_some() => {
            Ok(environment)
        }
        Some(BaseUrl { url: None, .. }) => Err(Error::usage(
            "the session's base URL is not known: it may hold a secret and was not written down",
            "give it again with --base-url",
        )),
        None => Ok(environment),
    }
}

fn provider(model: &str) -> &str {
    model.split(':').next().unwrap_or_default()
}

/// Whether it is a server of this machine that wants no key.
fn is_local(provider: &str) -> bool {
    provider != "openai" && legwork::model::providers().any(|known| known == provider)
}

fn no_model() -> Error {
    Error::usage(
        "no model is set up",
        format!(
            "set OPENAI_API_KEY to work with {DEFAULT_MODEL}, or name another model with --model \
             or LEGWORK_MODEL, such as ollama:qwen3"
        ),
    )
}

//! What a project has a say in, as far as it is trusted (S13.8).

use super::provider;
use super::walls::dir;
use crate::args;
use crate::config::{Config, Credential, Sourced};
use crate::error::Error;
use crate::recorded::{ProjectContext, Recorded};
use crate::trust::{self, Flag, Kind, Trust, Wanted};

/// Whether a session begins or goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Begins,
    GoesOn,
}

/// What of the project is wanted, as far as it is trusted.
pub(super) fn trust(
    flags: &args::Agent,
    config: &Config,
    recorded: &Recorded,
    way: Way,
) -> Result<Trust, Error> {
    let context = !flags.no_context && recorded.context == ProjectContext::Told;
    let agents = flags.agent.is_some() || recorded.agent.is_some();
    let is_wanted = |kind: &Kind| match kind {
        Kind::Instructions => context,
        // One that goes on keeps what it was begun with.
        Kind::Settings => way == Way::Begins,
        Kind::Agent | Kind::Skill => agents,
    };
    let kinds: Vec<_> = trust::ALL.into_iter().filter(is_wanted).collect();
    let flag = if flags.trust { Flag::Given } else { Flag::Not };
    let dir = dir(flags, recorded)?.value;
    Ok(Trust::of(Wanted { dir: &dir, kinds: &kinds, flag }, config))
}

/// Which providers the person names: a project names no server that a task or a key would be
/// sent to.
pub(super) struct Named<'a> {
    pub(super) flags: &'a args::Agent,
    pub(super) environment: Option<&'a Sourced<String>>,
}

impl Named<'_> {
    /// Whether the person's own settings, environment or flags name a provider, or it is one
    /// of a fixed address that the person has a key for.
    pub(super) fn has(&self, of: &str, config: &Config) -> bool {
        let own = config.own_model();
        let environment = self.environment.map(|model| model.value.as_str());
        let models = [own.as_deref(), environment, self.flags.model.as_deref()];
        let is_hosted = legwork::model::key_variable(of).is_some();
        config.has_provider(of)
            || config.key(of).is_some()
            || models.into_iter().flatten().any(|model| provider(model) == of)
            || is_hosted && Credential::find(of, config).is_some()
    }
}

/// What is told of a model that a project names and that is not taken.
pub(crate) fn not_named(model: &str) -> String {
    let of = provider(model);
    format!(
        "a project does not say where tasks are sent, and your own settings do not name `{of}`: \
         put [providers.{of}] into your own legwork.toml, or name the model with --model"
    )
}

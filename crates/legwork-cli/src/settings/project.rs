//! What the settings of a trusted project may decide (S13.8).

use super::provider;
use super::walls::dir;
use crate::args;
use crate::config::{Config, Credential, Sourced};
use crate::error::Error;
use crate::recorded::{ProjectContext, Recorded};
use crate::trust::{self, Flag, Kind, Trust, Wanted};

/// Which files of the project are wanted, if it is trusted.
pub(super) fn trust(
    flags: &args::Agent,
    config: &Config,
    recorded: &Recorded,
) -> Result<Trust, Error> {
    let context = !flags.no_context && recorded.context == ProjectContext::Told;
    let agents = flags.agent.is_some() || recorded.agent.is_some();
    let is_wanted = |kind: &Kind| match kind {
        Kind::Instructions => context,
        // Of a session that goes on they name the MCP servers alone.
        Kind::Settings => true,
        Kind::Agent | Kind::Skill => agents,
        // A chat looks for them itself.
        Kind::Command => false,
    };
    let kinds: Vec<_> = trust::ALL.into_iter().filter(is_wanted).collect();
    let flag = if flags.trust { Flag::Given } else { Flag::Not };
    let dir = dir(flags, recorded)?.value;
    Ok(Trust::of(Wanted { dir: &dir, kinds: &kinds, flag }, config))
}

/// Which providers the user names: a project cannot choose a server to which tasks or keys
/// are sent.
pub(super) struct Named<'a> {
    pub(super) flags: &'a args::Agent,
    pub(super) environment: Option<&'a Sourced<String>>,
}

impl Named<'_> {
    /// Whether the user's own settings, environment or flags name a provider, or it is a
    /// hosted one that the user has a key for.
    pub(super) fn has(&self, of: &str, config: &Config) -> bool {
        let own = config.own_model();
        let environment = self.environment.map(|model| model.value.as_str());
        let models = [own.as_deref(), environment, self.flags.model.as_deref()];
        let is_hosted = !legwork::model::key_variables(of).is_empty();
        config.has_provider(of)
            || config.key(of).is_some()
            || models.into_iter().flatten().any(|model| provider(model) == of)
            || is_hosted && Credential::find(of, config).is_some()
    }
}

/// Why a model that a project names is not used, and what to do.
pub(crate) fn not_named(model: &str) -> String {
    let of = provider(model);
    format!(
        "a project cannot choose where tasks are sent, and your own settings do not name `{of}`: \
         put [providers.{of}] into your own legwork.toml, or name the model with --model"
    )
}

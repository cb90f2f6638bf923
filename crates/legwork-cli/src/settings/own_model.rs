//! The agent's own model, beside one that was set for a session.

use legwork::core::AgentState;

use super::address::{self, around};
use super::{Settings, provider, recorded};
use crate::agents::Other;
use crate::args;
use crate::config::{Config, Source};
use crate::error::Error;

impl Settings {
    /// The agent's own model, if another one was set for the session.
    pub(super) fn defined_model(
        &self,
        state: &AgentState,
        config: &Config,
    ) -> Result<Option<Other>, Error> {
        let own = &state.facts().own_definition().settings.model;
        if **own == *self.model.value || matches!(self.model.source, Source::Flag(_)) {
            return Ok(None);
        }
        let other = Other::of(own.to_string(), self, config)?;
        if provider(own) == provider(&self.model.value) {
            return Ok(Some(other));
        }
        // Where an address may not be used, the model is not asked.
        let around = around(provider(own), config)?;
        let url = address::of(&args::Agent::default(), &recorded(state, own), around);
        Ok(Some(other.at(url.ok().flatten().map(|url| url.value))))
    }
}

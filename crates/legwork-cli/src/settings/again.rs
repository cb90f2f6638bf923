//! The flags that another command needs to go on with a session.

use legwork::core::AgentState;
use legwork::skills::base_model;
use legwork::tools::sandbox::Network;

use super::address::{self, around};
use super::walls::{self, dir};
use super::{Settings, is_local, provider, recorded};
use crate::args;
use crate::config::{Config, Source, Sourced};
use crate::error::Error;
use crate::recorded::{BaseUrl, By};
use crate::shell::quoted;
use crate::trust::Standing;

impl Settings {
    /// The flags of this command that are not taken from a journal: another command needs
    /// them to go on in the same way. Empty, or with a space before each.
    pub(crate) fn again(&self) -> String {
        let mut flags = String::new();
        let mut add = |source: &Source, words: &str| {
            if matches!(source, Source::Flag(_)) {
                flags.push(' ');
                flags.push_str(words);
            }
        };
        if is_local(provider(&self.model.value)) {
            add(&self.model.source, &named("--model", &self.model.value));
        }
        if let Ok(dir) = std::path::absolute(&self.dir.value) {
            add(&self.dir.source, &named("--dir", &dir.to_string_lossy()));
        }
        if let Some(url) = &self.base_url
            && BaseUrl::of(&url.value, By::Flag).url.is_some()
        {
            add(&url.source, &named("--base-url", &url.value));
        }
        if let Some(sandbox) = walls::looser_flag(self.sandbox.value) {
            add(&self.sandbox.source, sandbox);
        }
        if self.network.value != Network::Off {
            add(&self.network.source, &walls::network_flag(&self.network.value));
        }
        if let Some(approve) = self.asking.again() {
            add(&Source::Flag("--approve"), &approve);
        }
        if self.trust.standing == Standing::Flag {
            add(&Source::Flag("--trust"), "--trust");
        }
        for path in &self.allow_paths {
            let text = quoted(&path.value.to_string());
            add(&path.source, &format!("--allow-path {text}"));
        }
        flags
    }

    /// The flags without which no command goes on with a session here and now, as its journal
    /// has them. Empty, or with a space before each.
    pub(crate) fn needed(state: &AgentState, config: &Config) -> Result<String, Error> {
        let model = Sourced::new(base_model(state).to_string(), Source::Session);
        let (none, recorded) = (args::Agent::default(), recorded(state, &model.value));
        let around = around(provider(&model.value), config)?;
        let mut flags = Vec::new();
        let base_url = match address::of(&none, &recorded, around) {
            Ok(base_url) => base_url,
            Err(_) => recorded.base_url.as_ref().and_then(|before| before.url.clone()).map(|url| {
                flags.push(named("--base-url", &url));
                Sourced::new(url, Source::Session)
            }),
        };
        if address::check_local(&model, state.session(), base_url.as_ref(), config).is_err() {
            flags.insert(0, named("--model", &model.value));
        }
        if let (Err(_), Some(before)) = (dir(&none, &recorded), &recorded.dir) {
            flags.push(named("--dir", before));
        }
        Ok(flags.into_iter().map(|flag| format!(" {flag}")).collect())
    }
}

fn named(flag: &str, value: &str) -> String {
    format!("{flag} {}", quoted(value))
}

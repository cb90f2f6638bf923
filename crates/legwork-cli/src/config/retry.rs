//! For how long failed requests to a model are repeated.

use std::time::Duration;

use legwork::model::retry::Policy;

use super::{Config, Source, Sourced, variable_of};
use crate::args;
use crate::error::Error;

/// For how long by default: longer than in a program, since there may be no one to start it again.
const TIME_LIMIT: Duration = Duration::from_secs(600);

/// For how long failed requests to a model are repeated, and where that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Retry {
    /// After the first failure of an inference; zero switches retries off.
    pub(crate) retry_for: Sourced<Duration>,
    /// The longest wait between two attempts, unless the server asks for a longer one.
    pub(crate) max_wait: Sourced<Duration>,
}

impl Retry {
    /// By all layers; a session does not remember it.
    ///
    /// # Errors
    /// When a variable of the environment has a value that is none.
    pub(crate) fn of(config: &Config, flags: &args::Agent) -> Result<Self, Error> {
        let usual = Policy::default();
        let flag = flags.retry_for.map(|time| Sourced::new(time, Source::Flag("--retry-for")));
        Ok(Self {
            retry_for: Sourced::new(TIME_LIMIT, Source::Default)
                .or(config.value(|values| &values.retry_for))
                .or(variable_of("LEGWORK_RETRY_FOR", duration)?)
                .or(flag),
            max_wait: Sourced::new(usual.longest_wait(), Source::Default)
                .or(config.value(|values| &values.retry_max_wait))
                .or(variable_of("LEGWORK_RETRY_MAX_WAIT", duration)?),
        })
    }

    /// The policy of the models.
    pub(crate) fn policy(&self) -> Policy {
        Policy::default()
            .with_time_limit(self.retry_for.value)
            .with_longest_wait(self.max_wait.value)
    }
}

/// A length of time, such as `10m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_| "must be a length of time such as 90s, 10m or 1h 30m".to_owned())
}

/// The same length of time in the same words.
pub(crate) fn in_words(time: Duration) -> String {
    humantime::format_duration(time).to_string()
}

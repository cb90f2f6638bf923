//! Traces and metrics of what this process runs, to the user's collector.

use std::sync::OnceLock;
use std::time::Duration;

use legwork::otel::{self, Otlp, Telemetry};

use crate::args::Content;
use crate::config::{Config, Sourced};
use crate::error::Error;
use crate::settings::variable;

/// How long the end of the command waits for the collector.
const PATIENCE: Duration = Duration::from_secs(3);

/// The one of this process: all its runs are sent by the same threads.
static STARTED: OnceLock<Telemetry> = OnceLock::new();

/// The collector that the user's settings name; none of it comes from a project.
#[derive(Debug, Clone)]
pub(crate) struct Collector {
    endpoint: Sourced<String>,
    content: Content,
}

impl Collector {
    /// The one that the settings name.
    ///
    /// # Errors
    /// When a variable of the environment is no text.
    pub(crate) fn of(config: &Config) -> Result<Option<Self>, Error> {
        let content = config.telemetry_content().value;
        Ok(config.telemetry()?.map(|endpoint| Self { endpoint, content }))
    }

    /// What observes runs and sends to it, started with the first of them.
    ///
    /// # Errors
    /// When nothing can be sent there.
    pub(crate) fn start(&self) -> Result<Telemetry, Error> {
        if let Some(started) = STARTED.get() {
            return Ok(started.clone());
        }
        let Sourced { value: endpoint, source } = &self.endpoint;
        let content = match self.content {
            Content::On => otel::Content::On,
            Content::Off => otel::Content::Off,
        };
        let service = variable("OTEL_SERVICE_NAME").unwrap_or_else(|| "legwork".to_owned());
        let started = Otlp::to(endpoint).service(service).content(content).start();
        let started = started.map_err(|error| {
            let hint = format!("{source} names it: give a URL such as http://127.0.0.1:4318");
            Error::usage(error.to_string(), hint)
        })?;
        Ok(STARTED.get_or_init(|| started).clone())
    }
}

/// Delivers what is left. Gives a warning if the collector did not take everything.
pub(crate) fn end() -> Option<String> {
    let error = STARTED.get()?.shutdown(PATIENCE).err()?;
    Some(format!("{error}; the runs themselves are not affected"))
}

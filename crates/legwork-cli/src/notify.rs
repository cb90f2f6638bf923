//! The program of the user that is told when a run ends or waits for a person.

use std::path::PathBuf;

use legwork::core::AgentState;

use crate::config::{Config, start};
use crate::settings::Settings;

/// The program that is told; none of it comes from a project.
#[derive(Debug, Clone)]
pub(crate) struct Notify {
    /// A line for the shell.
    line: String,
    /// The folder of the file that names it.
    folder: PathBuf,
    /// Where commands of the agent may write: no program is taken from there.
    writable: Vec<PathBuf>,
}

impl Notify {
    /// The one that the user's settings name.
    pub(crate) fn of(config: &Config, settings: &Settings) -> Option<Self> {
        let line = config.value(|values| &values.notify)?.value;
        let folder = config.user_path()?.parent()?.to_owned();
        Some(Self { line, folder, writable: settings.writable() })
    }

    /// Starts it, and waits for nothing.
    ///
    /// # Errors
    /// In words, when it does not start.
    pub(crate) fn tell(&self, state: &AgentState, status: &str) -> Result<(), String> {
        let dir = self.writable.first().map(|dir| dir.to_string_lossy().into_owned());
        let environment = [
            ("LEGWORK_STATUS", status.to_owned()),
            ("LEGWORK_SESSION", state.session().to_string()),
            ("LEGWORK_TASK", state.summary().title.clone()),
            ("LEGWORK_DIR", dir.unwrap_or_default()),
        ];
        let started = start(&self.line, &self.folder, &self.writable, &environment);
        started.map_err(|why| format!("the command of `notify` cannot be run: {why}"))
    }
}

//! Another model or agent that goes on with the session.

use std::sync::Arc;

use super::Chat;
use super::files::Commands;
use crate::args;
use crate::error::Error;
use crate::settings::Settings;
use crate::trust::Asks;
use crate::worker::Worker;

impl Chat<'_> {
    /// Becomes a chat with these flags; nothing changes where they cannot be used.
    pub(super) async fn become_other(&mut self, flags: args::Agent) -> Result<(), Error> {
        // The project was asked about when the chat began.
        let settings = match self.state().await? {
            Some(state) => Settings::of_session(&flags, self.config, &state, Asks::Never)?,
            None => Settings::fresh(&flags, self.config, Asks::Never)?,
        };
        let settings = settings.in_store(&self.address);
        let interrupted = &self.leaves.interrupt;
        let worker = Worker::unless(interrupted, &settings, &self.screen).await?;
        let Some(worker) = worker else { return Ok(()) };
        self.ready = worker.agent(Arc::clone(&self.store), &self.screen)?;
        self.commands = Commands::load(&settings, &flags, self.config);
        (self.settings, self.flags) = (settings, flags);
        self.screen.tell_later();
        Ok(())
    }

    /// Says who works, and which model is asked.
    pub(super) fn who(&self) {
        let model = &self.settings.model.value;
        match self.settings.agent.as_ref().map(|agent| &agent.found.value.name) {
            Some(agent) => self.say(&format!("agent {agent}, model {model}")),
            None => self.say(&format!("model {model}")),
        }
    }

    /// The columns of a table.
    pub(super) fn columns(&self) -> usize {
        let mut terminal = self.terminal;
        terminal.measure();
        terminal.columns
    }
}

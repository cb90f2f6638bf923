//! What a model is asked for without a step: a summary of a conversation, or of a path that is left.

use std::sync::Arc;

use legwork::agent::auxiliary::AuxiliaryRequest;
use legwork::agent::{self, Control, HaltReason, Session};
use legwork::core::AgentState;
use legwork::port::Observer;

use super::screen;
use crate::args;
use crate::config::Config;
use crate::display::{Again, AnswerForm, Screen};
use crate::error::Error;
use crate::session::{Found, find};
use crate::settings::Settings;
use crate::store_address::StoreAddress;
use crate::trust::Asks;
use crate::worker::{Ready, Worker};

/// What is said of a summary that was interrupted.
pub(crate) const UNDONE: &str =
    "no summary was written: the session stands where it was, and nothing is left to resume";

/// Whether a person interrupted what the model was asked for.
pub(crate) fn is_interrupted(error: &agent::Error) -> bool {
    let agent::Error::Halted(halt) = error else { return false };
    matches!(halt.reason, HaltReason::Interrupted)
}

/// A session, and the agent whose model is asked.
pub(crate) struct Asked {
    pub(crate) found: Found,
    pub(crate) state: AgentState,
    pub(crate) screen: Arc<Screen>,
    control: Control,
    ready: Ready,
}

impl Asked {
    /// Finds the session and builds the agent; none if a person interrupts it meanwhile.
    pub(crate) async fn find(
        session: &str,
        agent: &args::Agent,
        store: &args::Store,
        output: &args::Output,
        config: &Config,
    ) -> Result<Option<Self>, Error> {
        let address = StoreAddress::of(store, config)?;
        let existing = address.open_existing()?;
        let found = find(existing.as_ref(), session, &address).await?;
        found.check_readable()?;
        let state = found.journal.fold(&found.id);
        let settings = Settings::of_session(agent, config, &state, Asks::of(output))?;
        let settings = settings.in_store(&address);
        let again = Again { store: address.flag(), settings: settings.again() };
        let (screen, control) = screen(output, AnswerForm::Text, again)?;
        let Some(worker) = Worker::unless(&control.interrupt, &settings, &screen).await? else {
            return Ok(None);
        };
        let opened = existing.map_or_else(|| address.open(), Ok)?;
        let ready = worker.agent(opened, &screen)?;
        Ok(Some(Self { found, state, screen, control, ready }))
    }

    /// Asks the model, shown as it goes; gives the state since, none if a person interrupts it.
    pub(crate) async fn ask(
        &self,
        what: impl FnOnce(&Session) -> AuxiliaryRequest,
    ) -> Result<Option<AgentState>, Error> {
        let session = self.ready.agent.session(self.found.id.clone());
        let observer: Arc<dyn Observer> = Arc::clone(&self.screen) as _;
        let asked = what(&session).observer(observer).control(self.control.clone());
        let run = asked.await;
        for ended in self.ready.leftover.end().await {
            self.screen.note(&ended.to_string());
        }
        self.ready.ended(&self.screen);
        match run {
            Err(error) if is_interrupted(&error) => {
                self.screen.note(UNDONE);
                Ok(None)
            }
            run => Ok(Some(run?.into_state())),
        }
    }
}

//! The agents of the command, as an editor is given them.
//!
//! A conversation of an editor is worked on as by `legwork chat`: the directory is the one that
//! the editor names, and whoever is asked sits in front of the editor.

mod desk;
mod modes;

use std::path::PathBuf;
use std::sync::Arc;

use legwork::acp::{Host, Mode, Wanted, Workplace, host};
use legwork::core::SessionId;
use legwork::port::{BoxFuture, Store};

use self::desk::Desk;
use crate::approval::Unasked;
use crate::args::{self, ApproveBy};
use crate::config::Config;
use crate::display::Screen;
use crate::error::Error;
use crate::recorded::begun_in;
use crate::settings::Settings;
use crate::store_address::StoreAddress;
use crate::toolset;
use crate::trust::Asks;
use crate::worker::Worker;

/// What makes the agents for an editor.
pub(crate) struct Editors {
    flags: args::Agent,
    config: Config,
    address: StoreAddress,
    store: Arc<dyn Store>,
    /// Shows warnings.
    screen: Arc<Screen>,
}

impl Editors {
    /// Opens the store.
    ///
    /// # Errors
    /// When the store cannot be used.
    pub(crate) fn new(
        flags: args::Agent,
        config: &Config,
        address: StoreAddress,
        screen: Arc<Screen>,
    ) -> Result<Self, Error> {
        let (config, store) = (config.clone(), address.open_shared()?);
        Ok(Self { flags, config, address, store, screen })
    }

    async fn made(&self, wanted: Wanted) -> Result<Arc<dyn Workplace>, Error> {
        let Wanted { directory, state, mode, approver, .. } = wanted;
        let mut flags = args::Agent { dir: Some(directory), ..self.flags.clone() };
        if let Some(mode) = mode.as_deref().and_then(modes::named) {
            flags.approve = Some(ApproveBy::When(mode));
        }
        let settings = match &state {
            None => Settings::fresh(&flags, &self.config, Asks::Never)?,
            Some(state) => Settings::of_session(&flags, &self.config, state, Asks::Never)?,
        };
        let settings = settings.in_store(&self.address);
        let (screen, when) = (&self.screen, settings.asking.when.value);
        let worker = Worker::new(&settings, screen).await?;
        if let Some(state) = &state {
            worker.compare(state, screen);
        }
        let worker = worker.asking(Unasked { when, others: approver });
        let ready = worker.agent(Arc::clone(&self.store), screen)?;
        screen.tell_later();
        let workspace = toolset::workspace(&settings, drop)?;
        Ok(Arc::new(Desk::new(ready, workspace, modes::id(when), screen)))
    }
}

impl Host for Editors {
    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    fn open(&self, wanted: Wanted) -> BoxFuture<'_, Result<Arc<dyn Workplace>, host::Error>> {
        Box::pin(async move { self.made(wanted).await.map_err(|error| said(&error)) })
    }

    fn begun_in<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Option<PathBuf>> {
        Box::pin(async move { begun_in(&self.store, session).await.map(PathBuf::from) })
    }

    fn modes(&self) -> Vec<Mode> {
        match self.flags.permissions() {
            // What a file of rules denies is not to be chosen away.
            Some(_) => Vec::new(),
            None => modes::all(),
        }
    }
}

/// An error in the words that the editor shows.
fn said(error: &Error) -> host::Error {
    let said = host::Error::new(error.to_string());
    match error.hint() {
        Some(hint) => said.with_hint(hint),
        None => said,
    }
}

//! The agent of the command, as clients of the Model Context Protocol are given it.
//!
//! A task of a client is worked on as by `legwork run` in one directory; what waits is left
//! waiting, for the person in front of the client is asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork::Agent;
use legwork::agent::request::{Run, RunRequest};
use legwork::core::inbox::Answer;
use legwork::core::state::Pending;
use legwork::core::{AgentState, SessionId};
use legwork::mcp_server::Host;
use legwork::mcp_server::agent::{Unavailable, Workplace};
use legwork::port::{Approver, BoxFuture, Store};
use tokio::sync::Mutex;

use crate::approval::Unasked;
use crate::args;
use crate::config::Config;
use crate::display::Screen;
use crate::error::Error;
use crate::recorded::beginning;
use crate::settings::Settings;
use crate::store_address::StoreAddress;
use crate::trust::Asks;
use crate::work::rested;
use crate::worker::{Ready, Worker};

/// The agent of a directory, for clients.
pub(crate) struct Served {
    flags: args::Agent,
    config: Config,
    address: StoreAddress,
    store: Arc<dyn Store>,
    /// Where it works.
    dir: PathBuf,
    /// The name of the agent if a file defines it, and what it is good for.
    agent: Option<(String, String)>,
    /// Shows warnings.
    screen: Arc<Screen>,
}

impl Served {
    /// Checks the settings, and opens the store.
    ///
    /// # Errors
    /// When there is no such agent, or the store cannot be used.
    pub(crate) async fn new(
        flags: args::Agent,
        config: &Config,
        address: StoreAddress,
        screen: Arc<Screen>,
    ) -> Result<Self, Error> {
        let settings = Settings::fresh(&flags, config, Asks::Never)?;
        let agent = settings.agent.as_ref().map(|chosen| {
            let definition = &chosen.found.value;
            (definition.name.clone(), definition.description.clone())
        });
        let dir = settings.dir.value.clone();
        let dir = dir.canonicalize().unwrap_or(dir);
        let (config, store) = (config.clone(), address.open_shared()?);
        let served = Self { flags, config, address, store, dir, agent, screen };
        // What is wrong with it is said here, and not to each client.
        served.made(None).await?;
        Ok(served)
    }

    async fn made(&self, state: Option<&AgentState>) -> Result<Arc<dyn Workplace>, Error> {
        let settings = match state {
            None => Settings::fresh(&self.flags, &self.config, Asks::Never)?,
            Some(state) => Settings::of_session(&self.flags, &self.config, state, Asks::Never)?,
        };
        let settings = settings.in_store(&self.address);
        let (screen, when) = (&self.screen, settings.asking.when.value);
        let worker = Worker::new(&settings, screen).await?;
        if let Some(state) = state {
            worker.compare(state, screen);
        }
        let worker = worker.asking(Unasked { when, others: Arc::new(LeftWaiting) });
        let ready = worker.agent(Arc::clone(&self.store), screen)?;
        screen.tell_later();
        let (agent, screen) = (ready.agent.clone(), Arc::clone(screen));
        Ok(Arc::new(Desk { agent, ready: Mutex::new(ready), screen }))
    }
}

impl Host for Served {
    fn about(&self) -> (String, Option<String>) {
        match &self.agent {
            Some((name, what)) => (name.clone(), Some(what.clone())),
            None => {
                let what = format!("It works with the files of {}.", self.dir.display());
                ("legwork".to_owned(), Some(what))
            }
        }
    }

    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    fn open<'a>(
        &'a self,
        _session: &'a SessionId,
        state: Option<&'a AgentState>,
    ) -> BoxFuture<'a, Result<Arc<dyn Workplace>, Unavailable>> {
        Box::pin(async move { self.made(state).await.map_err(|error| said(&error)) })
    }

    fn owns<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let Some(begun) = beginning(&self.store, session).await else { return false };
            let is_here = begun.dir.is_some_and(|dir| self.dir == Path::new(&dir));
            let named = begun.agent.map(|agent| agent.name);
            is_here && named.as_deref() == self.agent.as_ref().map(|(name, _)| &**name)
        })
    }
}

/// The agent of one session, run as by `legwork run`.
struct Desk {
    agent: Agent,
    ready: Mutex<Ready>,
    screen: Arc<Screen>,
}

impl Workplace for Desk {
    fn agent(&self) -> &Agent {
        &self.agent
    }

    fn run(&self, request: RunRequest) -> BoxFuture<'_, Result<Run, Unavailable>> {
        Box::pin(async move {
            let mut ready = self.ready.lock().await;
            ready.begins(&self.screen);
            self.screen.tell_later();
            let ran = rested(request, &ready, &self.screen).await;
            let (run, done) = ran.map_err(|error| said(&error))?;
            done.map(|()| run).map_err(|error| said(&error))
        })
    }
}

/// Leaves everything waiting.
struct LeftWaiting;

impl Approver for LeftWaiting {
    fn answer<'a>(
        &'a self,
        _pending: &'a Pending,
        _state: &'a AgentState,
    ) -> BoxFuture<'a, Option<Answer>> {
        Box::pin(std::future::ready(None))
    }
}

/// An error in the words that the client shows.
fn said(error: &Error) -> Unavailable {
    Unavailable::new(match error.hint() {
        Some(hint) => format!("{error}: {hint}"),
        None => error.to_string(),
    })
}

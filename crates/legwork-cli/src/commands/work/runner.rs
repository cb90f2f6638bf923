//! How `legwork work` runs one session: as `legwork resume` would, without a person.

use std::io;
use std::path::Path;
use std::sync::Arc;

use legwork::agent::{Control, Rest, StoredSession};
use legwork::core::{AgentState, OnDoubt};
use legwork::port::{BoxFuture, Store};
use legwork::worker::{Due, Failure, Runner};

use crate::args;
use crate::config::Config;
use crate::config::locate::shown;
use crate::display::{Again, Json, Screen};
use crate::error::Error;
use crate::recorded::Recorded;
use crate::settings::Settings;
use crate::shell::quoted;
use crate::store_address::StoreAddress;
use crate::trust::Asks;
use crate::worker::{Worker, other_model};

use super::served::Served;

/// Runs a session with the settings that it was begun with.
pub(super) struct SessionRunner {
    store: Arc<dyn Store>,
    flags: args::Agent,
    /// The agents that it has; none if all.
    served: Option<Served>,
    config: Config,
    address: StoreAddress,
    on_doubt: OnDoubt,
}

impl SessionRunner {
    pub(super) fn new(
        store: &Arc<dyn Store>,
        flags: args::Agent,
        served: Option<Served>,
        config: &Config,
        address: &StoreAddress,
        on_doubt: OnDoubt,
    ) -> Self {
        let (store, config, address) = (Arc::clone(store), config.clone(), address.clone());
        Self { store, flags, served, config, address, on_doubt }
    }

    async fn work(&self, due: &Due, flags: &args::Agent, control: Control) -> Result<Rest, Error> {
        let stored = StoredSession::new(Arc::clone(&self.store), due.session.clone());
        let state = stored.state().await.map_err(legwork::Error::from)?;
        check_dir(flags.dir.as_deref(), &state)?;
        let settings = Settings::of_session(flags, &self.config, &state, Asks::Never)?;
        let settings = settings.in_store(&self.address);
        let again = Again { store: self.address.flag(), settings: settings.again() };
        // It asks no person, and what it shows is shown by the worker.
        let screen = Screen::new(Json::new(io::sink()), control.clone(), again);
        let Some(worker) = Worker::unless(&control.interrupt, &settings, &screen).await? else {
            return Ok(Rest::Interrupted);
        };
        if let Some(set) = other_model(&state, &settings.model.value) {
            stored.set(set).await.map_err(legwork::Error::from)?;
        }
        drop(state);
        let ready = worker.agent(Arc::clone(&self.store), &screen)?;
        let session = ready.agent.session(due.session.clone());
        let rest = session
            .run_until_rest_by(|request| request.control(control.clone()).on_doubt(self.on_doubt))
            .await;
        ready.leftover.end().await;
        ready.ended(&screen);
        Ok(rest.map_err(legwork::Error::from)?)
    }
}

/// Refuses a session of another directory than the one that is worked in: its flag says which
/// sessions are run, and never that one is run elsewhere (S13.9).
///
/// # Errors
/// When the session was begun in another directory.
fn check_dir(flag: Option<&Path>, state: &AgentState) -> Result<(), Error> {
    let Some(dir) = Recorded::of(state).dir else { return Ok(()) };
    let here = flag.unwrap_or_else(|| Path::new("."));
    let is_here = match (Path::new(&dir).canonicalize(), here.canonicalize()) {
        (Ok(dir), Ok(here)) => dir == here,
        _ => false,
    };
    let here = std::path::absolute(here).unwrap_or_else(|_| here.to_owned());
    match is_here {
        true => Ok(()),
        false => Err(Error::usage(
            format!("its directory is {dir}, and this command runs those of {}", shown(&here)),
            format!("run it there, or with --dir {}", quoted(&dir)),
        )),
    }
}

impl Runner for SessionRunner {
    fn has(&self, due: &Due) -> bool {
        self.served.as_ref().is_none_or(|served| served.has(due.agent.as_ref()))
    }

    fn run<'a>(&'a self, due: &'a Due, control: Control) -> BoxFuture<'a, Result<Rest, Failure>> {
        Box::pin(async move {
            let flags = match &self.served {
                Some(served) => served.flags(&self.flags, due.agent.as_ref()),
                None => Some(self.flags.clone()),
            };
            let flags = flags.ok_or_else(|| Failure::NoAgent(due.agent.clone()))?;
            self.work(due, &flags, control).await.map_err(failure)
        })
    }
}

/// The failure of a worker for an error of the command, which says what to do.
fn failure(error: Error) -> Failure {
    match error {
        Error::Legwork(legwork::Error::Agent(error)) => Failure::Run(error),
        Error::Usage { message, hint } => Failure::Other(format!("{message}: {hint}")),
        error => Failure::Other(error.to_string()),
    }
}

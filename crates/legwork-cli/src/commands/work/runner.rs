//! How `legwork work` runs one session: as `legwork resume` would, without a person.

use std::io;
use std::sync::Arc;

use legwork::agent::{Control, Rest, StoredSession};
use legwork::core::OnDoubt;
use legwork::port::{BoxFuture, Store};
use legwork::worker::{Due, Failure, Runner};

use crate::args;
use crate::config::Config;
use crate::display::{Again, Json, Screen};
use crate::error::Error;
use crate::settings::Settings;
use crate::store_address::StoreAddress;
use crate::trust::Asks;
use crate::worker::{Worker, other_model};

/// Runs a session with the settings that it was begun with.
pub(super) struct SessionRunner {
    store: Arc<dyn Store>,
    flags: args::Agent,
    config: Config,
    address: StoreAddress,
    on_doubt: OnDoubt,
}

impl SessionRunner {
    pub(super) fn new(
        store: &Arc<dyn Store>,
        flags: args::Agent,
        config: &Config,
        address: &StoreAddress,
        on_doubt: OnDoubt,
    ) -> Self {
        let (store, config, address) = (Arc::clone(store), config.clone(), address.clone());
        Self { store, flags, config, address, on_doubt }
    }

    async fn work(&self, due: &Due, control: Control) -> Result<Rest, Error> {
        let stored = StoredSession::new(Arc::clone(&self.store), due.session.clone());
        let state = stored.state().await.map_err(legwork::Error::from)?;
        let settings = Settings::of_session(&self.flags, &self.config, &state, Asks::Never)?;
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

impl Runner for SessionRunner {
    fn run<'a>(&'a self, due: &'a Due, control: Control) -> BoxFuture<'a, Result<Rest, Failure>> {
        Box::pin(async move {
            self.work(due, control).await.map_err(|error| Failure::Other(error.to_string()))
        })
    }
}

//! A session that another process is to hear from, and the command that goes on with it.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork::agent::StoredSession;
use legwork::core::journal::Journal;
use legwork::core::{AgentState, SessionId};
use legwork::port::Store;
use legwork::port::store::Range;

use super::sessions::running;
use crate::args;
use crate::config::Config;
use crate::error::Error;
use crate::session::find;
use crate::settings::Settings;
use crate::shell::quoted;
use crate::store_address::StoreAddress;

/// A session that was named on the command line.
pub(super) struct Addressed {
    pub(super) session: StoredSession,
    /// Its journal when it was looked up.
    pub(super) journal: Journal,
    /// Its state, as that journal says.
    pub(super) state: AgentState,
    /// The session above all others, which is the one to resume.
    pub(super) root: SessionId,
    /// Whether a process works in it while an execution is in progress; none if that is not known.
    pub(super) running: Option<bool>,
    /// The flags that another command needs to find the store.
    pub(super) store: String,
    /// The command that goes on with it.
    pub(super) resume: String,
}

impl Addressed {
    pub(super) async fn find(
        asked: &str,
        store: &args::Store,
        config: &Config,
    ) -> Result<Self, Error> {
        let address = StoreAddress::of(store, config)?;
        let store = address.open_existing()?;
        let found = find(store.as_ref(), asked, &address).await?;
        found.check_readable()?;
        let kept = store.map_or_else(|| address.open(), Ok)?;
        let state = found.journal.fold(&found.id);
        let running = running(&kept, &found.id, state.status()).await;
        let session = StoredSession::new(Arc::clone(&kept), found.id);
        let above = root(&*kept, state.clone()).await?;
        let (root, store) = (above.session().clone(), address.flag());
        let flags = format!("{store}{}", Settings::needed(&above, config)?);
        let resume = format!("legwork resume {}{flags}", quoted(root.as_str()));
        Ok(Self { session, journal: found.journal, state, root, running, store, resume })
    }
}

/// The state of the session above all others.
async fn root(store: &dyn Store, mut state: AgentState) -> Result<AgentState, Error> {
    let mut seen = BTreeSet::new();
    while let Some(parent) = state.facts().parent.as_ref().map(|link| link.session.clone())
        && seen.insert(parent.clone())
    {
        state = store.read(&parent, Range::ALL).await?.journal.fold(&parent);
    }
    Ok(state)
}

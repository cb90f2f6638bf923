//! What lists show of sessions, against their journals.

use std::collections::BTreeMap;

use legwork::core::journal::Journal;
use legwork::core::{SessionId, Timestamp};
use legwork::port::Store;
use legwork::port::store::{DueQuery, Error, Query};

type Journals = BTreeMap<SessionId, Journal>;

/// Checks that each session that a list shows as it was before is due, so that it is claimed.
///
/// A store of files may be killed between an append and what lists show; the next claim brings
/// that up to date.
pub(crate) async fn check(store: &dyn Store, journals: &Journals) -> Result<(), String> {
    for session in outdated(store, journals).await.map_err(|error| error.to_string())? {
        let due = store.due(&DueQuery::at(Timestamp(u64::MAX))).await;
        let due = due.map_err(|error| error.to_string())?.sessions;
        if !due.iter().any(|info| info.session == session) {
            return Err(format!("{session} is listed as it was before, and is not due"));
        }
    }
    Ok(())
}

/// The same, and claims those sessions: after that each is listed as its journal has it.
pub(crate) async fn catch_up(store: &dyn Store, journals: &Journals) -> Result<(), String> {
    check(store, journals).await?;
    let claimed = async {
        for session in outdated(store, journals).await? {
            store.claim(&session).await?.release().await?;
        }
        outdated(store, journals).await
    };
    match claimed.await.map_err(|error| error.to_string())?.first() {
        None => Ok(()),
        Some(session) => Err(format!("{session} was claimed, and is listed as it was before")),
    }
}

/// The sessions whose summary is not that of their journal.
async fn outdated(store: &dyn Store, journals: &Journals) -> Result<Vec<SessionId>, Error> {
    let listed = store.sessions(&Query::all()).await?.sessions;
    let is_outdated = |session: &SessionId, journal: &Journal| {
        let state = journal.fold(session);
        let info = listed.iter().find(|info| info.session == *session);
        !info.is_some_and(|info| info.summary.says_the_same(state.summary()))
    };
    let all = journals.iter().filter(|(session, journal)| is_outdated(session, journal));
    Ok(all.map(|(session, _)| session.clone()).collect())
}

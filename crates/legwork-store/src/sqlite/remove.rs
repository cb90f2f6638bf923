//! Removing sessions: their rows, and then what is left of these in the files.

use std::collections::BTreeSet;

use legwork_core::SessionId;
use legwork_port::store::{Error, Removal};
use rusqlite::Connection;
use tracing::{info, warn};

use super::journal::Rows;
use super::query::number;
use super::{Inner, claims};
use crate::lock::Lock;
use crate::name::Name;

impl Inner {
    /// Removes all of them or none, then overwrites what they said.
    pub(super) async fn remove(&self, sessions: &[SessionId]) -> Result<Removal, Error> {
        let writer = self.writer()?;
        let sessions: BTreeSet<_> = sessions.iter().cloned().collect();
        if sessions.is_empty() {
            return Ok(Removal::Complete);
        }
        let (mut claims, folder) = (Vec::new(), claims(&self.path));
        for session in &sessions {
            claims.push(Lock::claim(&self.name, &folder, session).await?);
        }
        let (name, watchers, removed) =
            (self.name.clone(), self.watchers.clone(), sessions.clone());
        let notify = move || removed.iter().for_each(|session| watchers.notify(session));
        let remove = move |tx: &Connection| rows(tx, &name, &sessions);
        let (deleted, scrubbed) = writer.erase(remove, notify)?;
        writer.answer(deleted).await?;
        let sessions = claims.len();
        drop(claims);
        match writer.answer(scrubbed).await {
            Ok(()) => {
                info!(sessions, "sessions were removed");
                Ok(Removal::Complete)
            }
            Err(error) => {
                warn!(sessions, %error, "sessions were removed, but copies may be left in the files");
                Ok(Removal::Traces(format!(
                    "its pages were overwritten, but copies that SQLite left elsewhere in the files \
                     may still be there ({error}); when no other process uses the store, `VACUUM` by \
                     the sqlite3 program takes them away"
                )))
            }
        }
    }
}

/// Deletes every row of the sessions.
fn rows(tx: &Connection, name: &Name, sessions: &BTreeSet<SessionId>) -> Result<(), Error> {
    let failed = |error| name.sqlite("removing a session", &error);
    for session in sessions {
        let number = number(tx, session).map_err(failed)?;
        let gone = || Error::Unknown { session: session.clone() };
        let number = number.ok_or_else(gone)?;
        let (first, last) = Rows::of(number).range();
        let delete = |sql, from: i64, to: i64| tx.prepare_cached(sql)?.execute([from, to]);
        let journal = "DELETE FROM journal WHERE id BETWEEN ?1 AND ?2";
        let entries = delete(journal, first, last).map_err(failed)?;
        delete("DELETE FROM cut WHERE id BETWEEN ?1 AND ?2", first, last).map_err(failed)?;
        let inbox = "DELETE FROM inbox WHERE session BETWEEN ?1 AND ?2";
        let items = delete(inbox, number, number).map_err(failed)?;
        if entries + items == 0 {
            // A claim of a session that never began left its number, and no more.
            return Err(gone());
        }
        delete("DELETE FROM session WHERE id BETWEEN ?1 AND ?2", number, number).map_err(failed)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;

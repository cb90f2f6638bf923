//! A memory store's sessions as lines of JSON.

use std::sync::Arc;

use legwork_core::journal::Journal;
use legwork_core::{Entry, Seq, SessionId, entry};
use legwork_port::store::{Error, Unreadable};

use crate::MemoryStore;
use crate::store::Kept;

impl MemoryStore {
    /// Puts a session here from the lines of its journal, an entry a line, as
    /// [`MemoryStore::lines`] gives them and `legwork sessions show ID --json` prints them.
    ///
    /// From the first entry on that this version cannot read, the lines are kept as they
    /// are; such a session can be read up to there and not be written.
    ///
    /// # Errors
    /// [`Error::Exists`] when the session is here already, [`Error::Failed`] when a line
    /// is damaged or not the next one. Nothing was changed then.
    pub fn restore(&self, session: &SessionId, lines: &[u8]) -> Result<(), Error> {
        let journal = read(session, lines)?;
        let mut sessions = self.lock();
        let kept = sessions.entry(session.clone()).or_default();
        if kept.is_something() || kept.claimed {
            return Err(Error::Exists { session: session.clone() });
        }
        kept.summary =
            Journal::new(journal.entries.clone()).fold(session).summary().as_ref().clone();
        (kept.entries, kept.version, kept.unreadable) =
            (journal.entries, journal.version, journal.unreadable);
        drop(sessions);
        self.notify(session);
        Ok(())
    }

    /// The lines of a session's journal, an entry a line; none if there is no such session.
    ///
    /// # Errors
    /// [`Error::Failed`] when an entry cannot be written as JSON.
    pub fn lines(&self, session: &SessionId) -> Result<Vec<u8>, Error> {
        let sessions = self.lock();
        let mut lines = Vec::new();
        let Some(kept) = sessions.get(session) else { return Ok(lines) };
        for entry in &kept.entries {
            lines.extend(entry.encode().map_err(|error| failed(session, error))?);
            lines.push(b'\n');
        }
        if let Some((_, rest)) = &kept.unreadable {
            lines.extend(rest);
        }
        Ok(lines)
    }
}

fn read(session: &SessionId, lines: &[u8]) -> Result<Kept, Error> {
    let mut kept = Kept::default();
    let mut at = 0;
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        let next = kept.version.unwrap_or(Seq::ZERO).next();
        match Entry::decode(line) {
            Ok(entry) if entry.seq == next => {
                kept.version = Some(next);
                kept.entries.push(Arc::new(entry));
            }
            Ok(entry) => {
                let found = format!("entry {} stands where {next} should", entry.seq);
                return Err(failed(session, found));
            }
            Err(entry::Error::Unreadable { reason, .. }) => {
                let unreadable = Unreadable { entry: next, reason: reason.to_string() };
                let rest = lines.get(at..).unwrap_or_default().to_vec();
                kept.unreadable = Some((unreadable, rest));
                return Ok(kept);
            }
            Err(error) => return Err(failed(session, format!("line {next}: {error}"))),
        }
        at += line.len();
    }
    Ok(kept)
}

fn failed(session: &SessionId, what: impl std::fmt::Display) -> Error {
    let reason = format!("the lines of session {session}: {what}");
    Error::Failed { store: "memory".to_owned(), reason }
}

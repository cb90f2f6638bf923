//! What a journal has behind the end that its head knows.
//!
//! The head is written after the journal, and not synced with it: after a crash a journal may have
//! appends that the head does not know. The next claim or append takes them up.

use std::fs::File;

use legwork_core::journal::Journal;
use legwork_core::{Seq, SessionId};
use legwork_port::store::{Range, Unreadable};

use super::batches::{self, Position};
use super::entered::Entered;
use super::files::{self, Access};
use super::refused::Refused;

/// What follows the last append that the head knows.
#[derive(Debug)]
pub(super) enum Tail {
    Nothing,
    /// Damage, or the journal ends before.
    Damage,
    Unreadable(Unreadable),
}

impl Entered<'_> {
    /// Takes whole appends into the head that it does not know yet, of a journal of this length.
    pub(super) fn catch_up(&mut self, session: &SessionId, len: u64) -> Result<Tail, Refused> {
        if len == self.head.journal {
            return Ok(Tail::Nothing);
        }
        if len < self.head.journal {
            return Ok(Tail::Damage);
        }
        let path = self.place.journal();
        let failed = |error| self.layout.refused("reading", &path, error);
        let file = files::open(&path, Access::Append).map_err(failed)?;
        let known = Position { entry: self.head.entries, offset: self.head.journal };
        let range = Range::after(Seq(known.entry));
        let whole = batches::read(&file, len, known, range).map_err(failed)?;
        let positions = batches::positions(&file, len, known).map_err(failed)?;
        let end = positions.into_iter().rev().find(|end| end.entry <= whole.last.0);
        if let Some(end) = end {
            let at = |number: u64| whole.entries.iter().find(|entry| entry.seq.0 == number);
            if known.entry == 0 {
                self.head.created = at(1).map_or(0, |entry| entry.at.0);
            }
            self.head.updated = at(end.entry).map_or(self.head.updated, |entry| entry.at.0);
            self.take_up(&file, end, session)?;
        }
        Ok(match whole.unreadable {
            Some(unreadable) => Tail::Unreadable(unreadable),
            None if whole.damage.is_some() => Tail::Damage,
            None => Tail::Nothing,
        })
    }

    fn take_up(&mut self, file: &File, end: Position, session: &SessionId) -> Result<(), Refused> {
        let path = self.place.journal();
        let failed = |error| self.layout.refused("reading", &path, error);
        // Its process may have died before it was durable.
        file.sync_data().map_err(failed)?;
        files::sync_folder(&self.place.folder).map_err(failed)?;
        (self.head.entries, self.head.journal) = (end.entry, end.offset);
        let start = Position::default();
        let whole = batches::read(file, end.offset, start, Range::ALL).map_err(failed)?;
        if whole.last.0 < end.entry {
            // A newer version knows the summary.
            self.note(None);
            return Ok(());
        }
        let state = Journal::new(whole.entries).fold(session);
        let summary = state.summary();
        self.head.take(summary);
        if self.head.may_be_due() {
            self.mark_due()?;
        }
        self.note(serde_json::to_vec(&**summary).ok().as_deref());
        Ok(())
    }
}

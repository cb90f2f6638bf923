//! A session as it is at one moment, for reading.

use std::fs::File;
use std::sync::Arc;

use legwork_core::inbox::{Cursor, Posted};
use legwork_core::journal::Journal;
use legwork_core::{Seq, SessionId};
use legwork_port::store::{Loaded, Range};

use super::files::{self, Access};
use super::head::Head;
use super::inbox;
use super::index;
use super::layout::{Layout, Place};
use super::lock::Wait;
use super::refused::Refused;
use crate::decode::Damage;
use crate::private::is_named;
use crate::whole::Whole;

/// Where the files of a session end when no operation changes them.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) place: Place,
    pub(super) head: Head,
    journal: Option<File>,
    pub(super) journal_len: u64,
    pub(super) inbox_len: u64,
}

impl Layout {
    /// Looks at a session; none if there is none.
    pub(super) fn look(&self, place: Place) -> Result<Option<Snapshot>, Refused> {
        let path = place.head();
        let failed = |error| self.refused("reading", &path, error);
        loop {
            if self.is_being_removed(&place)? {
                return Ok(None);
            }
            let head = files::if_there(files::open(&path, Access::Read)).map_err(failed)?;
            let Some(head) = head.map(Arc::new) else {
                // Somebody may have copied a journal there.
                let snapshot = Snapshot::of(place, Head::default()).map_err(failed)?;
                return Ok(Some(snapshot).filter(Snapshot::is_something));
            };
            let _locked = self.waiting.shared(&head, Wait::Yes).map_err(failed)?;
            if !is_named(&head, &path).map_err(failed)? {
                continue;
            }
            if self.is_being_removed(&place)? {
                return Ok(None);
            }
            let head = Head::read(&head).map_err(failed)?.unwrap_or_default();
            return Snapshot::of(place, head).map(Some).map_err(failed);
        }
    }

    /// Reads a range of a session's journal.
    pub(super) fn load(&self, session: &SessionId, range: Range) -> Result<Loaded, Refused> {
        let Some(snapshot) = self.look(self.place(session))? else { return Ok(Loaded::default()) };
        let path = snapshot.place.journal();
        let whole = snapshot.read(range).map_err(|error| self.refused("reading", &path, error))?;
        let damage = whole.report(session);
        let next = whole.goes_on.then(|| range.rest(whole.entries.len()));
        let Whole { entries, unreadable, .. } = whole;
        let posted = snapshot.posted();
        let posted =
            posted.map_err(|error| self.refused("reading", &snapshot.place.inbox(), error))?;
        let mut loaded = Loaded::new(Journal::new(entries), Cursor(posted));
        (loaded.damage, loaded.unreadable, loaded.next) = (damage, unreadable, next);
        Ok(loaded)
    }

    /// Reads the items of a session's inbox after a cursor.
    pub(super) fn items(&self, session: &SessionId, after: Cursor) -> Result<Vec<Posted>, Refused> {
        let Some(snapshot) = self.look(self.place(session))? else { return Ok(Vec::new()) };
        inbox::read(self, &snapshot.place.inbox(), snapshot.inbox_len, after)
    }
}

impl Snapshot {
    fn of(place: Place, head: Head) -> std::io::Result<Self> {
        let journal = files::if_there(files::open(&place.journal(), Access::Read))?;
        let journal_len = match &journal {
            Some(journal) => journal.metadata()?.len(),
            None => 0,
        };
        let inbox_len = files::length(&place.inbox())?;
        Ok(Self { place, head, journal, journal_len, inbox_len })
    }

    fn is_something(&self) -> bool {
        self.journal_len > 0 || self.inbox_len > 0
    }

    /// Whether the head lacks something that the files have: a process died.
    pub(super) fn is_behind(&self) -> bool {
        self.head.journal != self.journal_len || self.head.inbox != self.inbox_len
    }

    /// Reads a range of the journal.
    pub(super) fn read(&self, range: Range) -> std::io::Result<Whole> {
        let Some(journal) = &self.journal else {
            return Ok(self.checked(Whole::from(Seq::ZERO, range)));
        };
        let start = index::find(&self.place, journal, self.journal_len, range.after)?;
        let whole = super::batches::read(journal, self.journal_len, start, range)?;
        Ok(self.checked(whole))
    }

    /// Reports entries that the head knows and that are gone.
    fn checked(&self, mut whole: Whole) -> Whole {
        if !whole.ends_early() && whole.last.0 < self.head.entries {
            let reason = format!("the entries up to {} are not all there", self.head.entries);
            whole.damage = Some(Damage { reason, kept: Vec::new() });
        }
        whole
    }

    /// The last item in the inbox.
    pub(super) fn posted(&self) -> std::io::Result<u64> {
        if self.inbox_len == self.head.inbox {
            return Ok(self.head.posted);
        }
        let from = if self.inbox_len > self.head.inbox { self.head.inbox } else { 0 };
        Ok(inbox::last_item(&self.place, from)?.max(self.head.posted))
    }
}

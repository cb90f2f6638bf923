//! An append: one write and one sync of the journal, then the head.

use std::fs::File;
use std::io::{self, Write as _};

use legwork_core::inbox::Cursor;
use legwork_core::{Seq, SessionId, Summary};
use legwork_port::store::{Appended, Error, Loss, Range};

use super::batches::{self, Position};
use super::entered::{Entered, Noted};
use super::files::{self, Access};
use super::held::{Held, Open};
use super::index::Index;
use super::layout::{Layout, Place};
use super::lock::Wait;
use super::refused::Refused;
use super::tail::Tail;
use crate::name::lost;

/// Entries to be appended after the one numbered `expected`.
#[derive(Debug)]
pub(super) struct Append {
    pub(super) expected: Seq,
    pub(super) last: Seq,
    /// When the first and the last of them were made.
    pub(super) times: (u64, u64),
    pub(super) lines: Vec<u8>,
    /// The new summary, and as JSON.
    pub(super) summary: Option<(Summary, Vec<u8>)>,
    /// The last inbox item that the caller knows of; with a later one nothing is written.
    pub(super) seen: Option<Cursor>,
}

/// What an append did.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written {
    pub(super) appended: Appended,
    /// Whether it set a damaged tail aside.
    pub(super) cut_damage: bool,
}

impl Append {
    pub(super) fn run(&self, layout: &Layout, held: &Held, wait: Wait) -> Result<Written, Refused> {
        let mut open = held.open(layout, wait)?;
        let open = &mut *open;
        let mut entered = held.enter(layout, wait)?;
        let failed = |error| layout.refused("appending to", &held.place.journal(), error);
        open.undo(&entered.head).map_err(failed)?;
        let len = open.journal_len(&held.place).map_err(failed)?;
        let tail = match entered.catch_up(&held.session, len)? {
            Tail::Unreadable(unreadable) => return Err(unreadable.refuses(&held.session).into()),
            tail => tail,
        };
        if entered.head.entries < self.expected.0 {
            return Err(self.elsewhere(&held.session, &entered).into());
        }
        entered.catch_up_inbox(None).map_err(failed)?;
        self.check_seen(&held.session, &entered)?;
        let cut_damage = entered.head.entries > self.expected.0 || matches!(tail, Tail::Damage);
        if cut_damage {
            self.cut(&held.session, &mut entered)?;
            // Its file was removed: it named batches that are gone.
            open.index = None;
        }
        self.write(open, &mut entered)?;
        Ok(Written { appended: Appended::new(Cursor(entered.head.posted)), cut_damage })
    }

    fn check_seen(&self, session: &SessionId, entered: &Entered<'_>) -> Result<(), Error> {
        let inbox = Cursor(entered.head.posted);
        match self.seen {
            Some(seen) if inbox > seen => Err(Error::NewItems { session: session.clone(), inbox }),
            _ => Ok(()),
        }
    }

    /// The conflict of an append that does not follow the last entry.
    fn elsewhere(&self, session: &SessionId, entered: &Entered<'_>) -> Error {
        let found = Seq(entered.head.entries);
        Error::Moved { session: session.clone(), expected: self.expected, found }
    }

    /// Sets a damaged tail aside, which counts as missing.
    fn cut(&self, session: &SessionId, entered: &mut Entered<'_>) -> Result<(), Refused> {
        let path = entered.place.journal();
        let layout = entered.layout;
        let failed = |error| layout.refused("reading", &path, error);
        let file = files::open_or_create(&path, Access::Append).map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        let start = Position::default();
        let whole = batches::read(&file, len, start, Range::ALL).map_err(failed)?;
        if let Some(unreadable) = whole.unreadable {
            return Err(unreadable.refuses(session).into());
        }
        let is_damaged = whole.damage.is_some() || len < entered.head.journal;
        if !is_damaged || whole.last != self.expected {
            return Err(self.elsewhere(session, entered).into());
        }
        let cutting = |error| layout.refused("setting damage aside in", &path, error);
        entered.cut_journal(&file, len, self.expected).map_err(cutting)?;
        entered.head.updated = whole.entries.last().map_or(0, |entry| entry.at.0);
        // Else the old end would make the entries that come next look like damage of their own.
        entered.head.write(&entered.file, None).map_err(cutting)
    }

    fn write(&self, open: &mut Open, entered: &mut Entered<'_>) -> Result<(), Refused> {
        if let Some((summary, _)) = &self.summary {
            entered.head.take(summary);
        }
        // The head of a new session does not say yet that there is one: if its process dies before
        // it is written, the session is found by the index.
        let is_new = self.expected == Seq::ZERO && !self.lines.is_empty();
        if is_new || (self.summary.is_some() && entered.head.may_be_due()) {
            entered.mark_due()?;
        }
        let decides = is_new || self.summary.is_some();
        let leaves = decides && !entered.head.may_be_due() && entered.head.marked;
        entered.head.marked &= !leaves;
        let summary = self.summary.as_ref().map(|(_, json)| json.as_slice());
        let mut noted = Noted::Yes;
        if !self.lines.is_empty() {
            self.write_lines(open, entered)?;
            noted = entered.note(summary);
            open.unsynced |= summary.is_some();
        } else if summary.is_some() {
            let written = entered.head.write(&entered.file, summary);
            let synced = written.and_then(|()| entered.file.sync_data());
            synced.map_err(|error| entered.refused("writing", &entered.place.head(), error))?;
        }
        // Without its head, the session stays in the index until a claim brings that up to date.
        if leaves && noted == Noted::Yes {
            entered.unmark_due();
        }
        Ok(())
    }

    /// Writes and syncs the lines, or leaves the journal as it was.
    fn write_lines(&self, open: &mut Open, entered: &mut Entered<'_>) -> Result<(), Refused> {
        let path = entered.place.journal();
        let start = Position { entry: entered.head.entries, offset: entered.head.journal };
        let layout = entered.layout;
        let failed = |error| layout.refused("appending to", &path, error);
        let journal = open.journal(entered.place).map_err(failed)?;
        let written = self.write_durably(journal, start, entered);
        if let Err(error) = written {
            // What cannot be undone now is undone before the next append.
            open.undone = true;
            let _ = open.undo(&entered.head);
            return Err(failed(error));
        }
        if self.expected == Seq::ZERO {
            entered.head.created = self.times.0;
        }
        entered.head.updated = self.times.1;
        entered.head.entries = self.last.0;
        entered.head.journal = start.offset + self.lines.len() as u64;
        // Without it, reads begin further to the front.
        let _ = open.add_to_index(entered.place, start);
        Ok(())
    }

    fn write_durably(
        &self,
        mut journal: &File,
        start: Position,
        entered: &Entered<'_>,
    ) -> io::Result<()> {
        journal.write_all(&self.lines)?;
        journal.sync_data()?;
        match start.offset {
            0 => files::sync_folder(&entered.place.folder),
            _ => Ok(()),
        }
    }
}

impl Open {
    /// The length of the journal; 0 if it is missing.
    fn journal_len(&mut self, place: &Place) -> io::Result<u64> {
        let open = self.journal.as_ref().map(File::metadata).transpose()?;
        match open.filter(files::has_name) {
            Some(open) => Ok(open.len()),
            // Another file may have the name by now.
            None => {
                self.journal = None;
                files::length(&place.journal())
            }
        }
    }

    /// The journal, open to append to it.
    fn journal(&mut self, place: &Place) -> io::Result<&File> {
        if self.journal.is_none() {
            self.journal = Some(files::open_or_create(&place.journal(), Access::Append)?);
        }
        self.journal.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Takes back what an append that failed left.
    fn undo(&mut self, head: &super::head::Head) -> io::Result<()> {
        if let (true, Some(journal)) = (self.undone, &self.journal) {
            journal.set_len(head.journal)?;
            journal.sync_data()?;
        }
        self.undone = false;
        Ok(())
    }

    fn add_to_index(&mut self, place: &Place, start: Position) -> io::Result<()> {
        let Some(journal) = &self.journal else { return Ok(()) };
        // An index that was removed meanwhile is made anew under the next claim.
        let index = match self.index.take() {
            Some(index) => index,
            None => Index::open(place, journal, start)?,
        };
        self.index.insert(index).add(start)
    }
}

impl Held {
    /// Enters the session, if its claim was not lost.
    pub(super) fn enter<'h>(
        &'h self,
        layout: &'h Layout,
        wait: Wait,
    ) -> Result<Entered<'h>, Refused> {
        let entered = layout.enter_claimed(&self.place, self.head.clone(), wait)?;
        let Some(entered) = entered else {
            return Err(lost(&self.session, Loss::Removed).into());
        };
        match entered.head.fence == self.fence.0 {
            true => Ok(entered),
            false => Err(lost(&self.session, Loss::Claimed).into()),
        }
    }
}

//! A store of plain files: one a session, a line of JSON a thing that happened.
//!
//! Each line is whole or does not count, and lines are only ever added. So an append of
//! many entries is there whole or not at all, what a killed writer left is stepped over,
//! and everything else is a fold over the lines:
//!
//! | line | means |
//! |---|---|
//! | `["session","demo"]` | whose file it is; the first line |
//! | `["claimed",3]` | a claim was taken; only who holds the newest may append |
//! | `["entries",{..},{..}]` | one append to the journal |
//! | `["summary",{..},{..}]` | the same, behind what lists say of the session from then on |
//! | `["posted",{..}]` | one item of the inbox |
//!
//! Two locks of the operating system guard a session, and both die with their process:
//! that on its `.claim` file is held as long as a claim, that on the file itself while it
//! is read or a line is added. Each line is synced before the call that added it returns.
//!
//! What a list says of a session is in a small file of its own (`summary.rs`), so that listing
//! reads no journal. It is deliberately simple otherwise: it does its work on the caller's
//! thread, and reads a whole file to read a session.

mod claim;
mod file;
mod log;
mod removal;
mod summary;

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork_port::core::inbox::{Cursor, Item, Posted};
use legwork_port::core::journal::Journal;
use legwork_port::core::{Digest, SessionId};
use legwork_port::store::{Error, Loaded, Page, Query, Range, Removal, SessionInfo, check_id};
use legwork_port::{BoxFuture, Claim, Store};

use file::Writing;
use log::{Left, Line, Log};

/// A store in a folder; clones share it.
#[derive(Debug, Clone)]
pub struct Jsonl {
    folder: Arc<Path>,
}

impl Jsonl {
    /// The store in a folder, which is made if it is missing.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, Error> {
        let store = Self { folder: folder.into().into() };
        fs::create_dir_all(&store.folder).map_err(|error| Error::Unusable {
            store: store.name(),
            reason: format!("its folder cannot be made: {error}"),
        })?;
        Ok(store)
    }

    /// The file that is locked while a session is claimed.
    pub fn claim_file(&self, session: &SessionId) -> PathBuf {
        self.file(session).with_extension("claim")
    }

    /// The file of a session. Its name may hold anything, that of a file may not.
    fn file(&self, session: &SessionId) -> PathBuf {
        let digest = Digest::of_bytes(session.as_str().as_bytes());
        self.folder.join(format!("{digest}.jsonl"))
    }

    fn name(&self) -> String {
        format!("jsonl:{}", self.folder.display())
    }

    fn failed(&self, what: &str, error: impl std::fmt::Display) -> Error {
        Error::Failed { store: self.name(), reason: format!("{what}: {error}") }
    }

    fn log(&self, session: &SessionId) -> Result<Log, Error> {
        let read = self.is_removed(session).and_then(|removed| match removed {
            true => Ok(Log::default()),
            false => file::read(&self.file(session)),
        });
        read.map_err(|error| self.failed("reading a session", error))
    }

    /// Opens a session's file to add lines, and gives what is in it.
    fn write(&self, session: &SessionId) -> Result<(Writing, Log), Error> {
        let finished = self.finish_removal();
        let opened = finished.and_then(|()| Writing::open(&self.file(session)));
        let opened = opened.and_then(|mut writing| {
            let mut log = Log::default();
            writing.catch_up(&mut log)?;
            if log.session.is_none() {
                writing.add(&mut log, &Line::Session(session))?;
            }
            Ok((writing, log))
        });
        opened.map_err(|error| self.failed("opening a session", error))
    }

    fn load(&self, session: &SessionId, range: Range) -> Result<Loaded, Error> {
        let log = self.log(session)?;
        let inbox = log.cursor();
        let Log { entries, damage, unreadable, .. } = log;
        let first = usize::try_from(range.after.0).unwrap_or(usize::MAX);
        let rest = entries.get(first..).unwrap_or_default();
        let part = rest.get(..range.limit).unwrap_or(rest);
        let mut loaded = Loaded::new(Journal::new(part.to_vec()), inbox);
        match part.len() < rest.len() {
            true => loaded.next = Some(range.rest(part.len())),
            false => (loaded.damage, loaded.unreadable) = (damage, unreadable),
        }
        Ok(loaded)
    }

    fn leave(&self, session: &SessionId, key: &str, item: &Item) -> Result<Cursor, Error> {
        let (mut writing, mut log) = self.write(session)?;
        if let Some(known) = log.inbox.iter().find(|posted| posted.key == key) {
            return Ok(known.cursor);
        }
        let cursor = Cursor(log.cursor().0 + 1);
        let posted = Posted { cursor, key: key.to_owned(), item: item.clone() };
        let added = writing.add(&mut log, &Line::Posted(&posted));
        added.map(|()| cursor).map_err(|error| self.failed("posting an item", error))
    }

    fn items(&self, session: &SessionId, after: Cursor) -> Result<Vec<Posted>, Error> {
        let left = self.log(session)?.inbox.into_iter().filter(|left| left.cursor > after);
        left.map(|Left { cursor, key, item }| match item {
            Ok(item) => Ok(Posted { cursor, key, item }),
            Err(error) => {
                let what = format!("item {} needs a newer Legwork", cursor.0);
                Err(self.failed(&what, error))
            }
        })
        .collect()
    }

    fn infos(&self) -> io::Result<Vec<SessionInfo>> {
        let (mut infos, removed) = (Vec::new(), self.list()?);
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
            if path.extension() != Some(OsStr::new("jsonl")) || removed.contains(stem) {
                continue;
            }
            // One that cannot be read hides no other.
            let read = || file::read(&path).ok().and_then(|log| log.info());
            infos.extend(summary::read(&path).unwrap_or_else(read));
        }
        Ok(infos)
    }

    fn page(&self, query: &Query) -> Result<Page, Error> {
        let infos = self.infos().map_err(|error| self.failed("listing sessions", error))?;
        query.page(&self.name(), infos)
    }
}

impl Store for Jsonl {
    fn claim<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Box<dyn Claim>, Error>> {
        Box::pin(async {
            check_id(session)?;
            let held = claim::Held::take(self.clone(), session.clone())?;
            Ok(Box::new(held) as Box<dyn Claim>)
        })
    }

    fn read<'a>(
        &'a self,
        session: &'a SessionId,
        range: Range,
    ) -> BoxFuture<'a, Result<Loaded, Error>> {
        Box::pin(async move { self.load(session, range) })
    }

    fn sessions<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Page, Error>> {
        Box::pin(async { self.page(query) })
    }

    fn post<'a>(
        &'a self,
        session: &'a SessionId,
        key: &'a str,
        item: &'a Item,
    ) -> BoxFuture<'a, Result<Cursor, Error>> {
        Box::pin(async { check_id(session).and_then(|()| self.leave(session, key, item)) })
    }

    fn inbox<'a>(
        &'a self,
        session: &'a SessionId,
        after: Cursor,
    ) -> BoxFuture<'a, Result<Vec<Posted>, Error>> {
        Box::pin(async move { self.items(session, after) })
    }

    fn remove<'a>(&'a self, sessions: &'a [SessionId]) -> BoxFuture<'a, Result<Removal, Error>> {
        Box::pin(async { self.take_away(sessions) })
    }
}

//! Journals and inboxes in one SQLite file, for many processes at once.
//!
//! One thread of the process writes and lets appends that wait together share one
//! transaction, so one sync; another thread reads and is never kept waiting by writers,
//! its own process's or another's; a third one reads inboxes, which must not wait until a long
//! journal is read. Up to three more help to decode a long journal and end with it. A program
//! with one run at a time can have both done on its own thread ([`Commits::Inline`]). All files
//! are for the owner alone:
//!
//! | file | holds |
//! |---|---|
//! | `clerk.db` | the database; plain SQLite, `schema.sql` in this module says what is in it |
//! | `clerk.db-wal` | what was written last; it stays when the process ends and belongs to the database, so a copy takes both, or is made with the `sqlite3` program's `.backup` |
//! | `clerk.db-shm` | SQLite's index of that, made anew when it is missing |
//! | `clerk.db-claims/` | a file per live claim |
//!
//! A session that is removed is gone from these files too: its pages are overwritten, the
//! database is written anew (as SQLite's `VACUUM` does, so it takes as long as copying it)
//! and the log is emptied. Copies that a file system or a backup made are not reached.

mod claim;
mod committer;
mod connect;
mod due;
mod fault;
mod journal;
mod kind;
mod listing;
mod query;
mod reader;
mod remove;
mod schema;
mod update;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use legwork_core::SessionId;
use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_port::BoxFuture;
use legwork_port::store::{
    DueQuery, Error, Loaded, Page, Query, Range, Removal, Watchers, check_id,
};
use rusqlite::Connection;
use tokio::sync::oneshot;
use tracing::{info, trace};

use claim::Claim;
use committer::Synced;
use connect::{Closing, Connector};
use reader::Reader;
use writer::Writer;

use crate::lock::Lock;
use crate::name::Name;

/// The schema version that this code writes.
pub const VERSION: u32 = 2;

/// Settings for opening a store.
#[derive(Debug, Clone)]
pub struct Options {
    read_only: bool,
    patience: Duration,
    max_bytes: Option<u64>,
    commits: Commits,
}

/// The thread that writes and syncs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Commits {
    /// A thread of the store, for all that wait together: it blocks no thread of the caller, and
    /// many runs share a sync. For servers.
    #[default]
    Grouped,
    /// The caller's thread: no other one has to be woken, which saves two switches a commit, but
    /// the caller's other tasks wait for the disk. For programs with one run at a time.
    ///
    /// A change that would have to wait for another process goes to a thread of the store.
    Inline,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            read_only: false,
            patience: Duration::from_secs(30),
            max_bytes: None,
            commits: Commits::default(),
        }
    }
}

impl Options {
    /// For reading and writing; the file is created if it is missing.
    pub fn new() -> Self {
        Self::default()
    }

    /// For reading only: creates nothing, and refuses claims, posts and removals.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// How long to wait for another process that writes; 30 s by default.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// How many bytes the file may grow to; beyond it, writing fails as on a full disk. No limit
    /// by default.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// Which thread writes and syncs; [`Commits::Grouped`] by default.
    #[must_use]
    pub fn commits(mut self, commits: Commits) -> Self {
        self.commits = commits;
        self
    }

    /// Opens the store in a file. Folders that are missing are made, for the owner alone.
    ///
    /// A file that may not be written is opened all the same and can be read.
    ///
    /// # Errors
    /// [`Error::Newer`] if a newer Legwork made it, [`Error::Unusable`] if it is something
    /// else or cannot be opened.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Store, Error> {
        let name = Name::of(path.as_ref());
        let commits = self.commits;
        let (connector, connected) = Connector::open(name.clone(), path.as_ref(), self)?;
        let (path, closing) = (connector.path().to_owned(), connector.closing());
        let connector = Arc::new(connector);
        let reader = |connection| Reader::new(name.clone(), Arc::clone(&connector), connection);
        let (reader, quick, writer) = if connected.read_only {
            (reader(Some(connected.connection)), None, None)
        } else {
            let writer = Writer::new(name.clone(), commits, connected);
            (reader(None), Some(reader(None)), Some(writer))
        };
        info!(path = %path.display(), read_only = writer.is_none(), "a store was opened");
        let watchers = Watchers::new();
        Ok(Store(Arc::new(Inner { name, path, closing, reader, quick, writer, watchers })))
    }
}

/// A store in one SQLite file; clones share it.
///
/// # Blocking
/// Dropping the last clone, with the last of its claims, blocks until its threads have ended
/// and its files are closed. They finish what they write, but wait for no other process: a
/// removal whose future was dropped may then leave traces in the files. [`Store::close`] does
/// the same without blocking.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    name: Name,
    path: PathBuf,
    closing: Closing,
    reader: Reader,
    /// For questions with short answers, which shall not wait for a long journal; none where
    /// nobody writes.
    quick: Option<Reader>,
    writer: Option<Writer>,
    watchers: Watchers,
}

/// What a store wrote since it was opened, and how large its files are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Transactions that wrote something and synced it.
    pub commits: u64,
    /// Bytes of entries appended, as encoded.
    pub bytes: u64,
    /// The size of the database file, in bytes.
    pub file: u64,
    /// The size of the write-ahead log next to it, in bytes.
    pub wal: u64,
}

impl Store {
    /// Opens the store in a file, for reading and writing; creates it if it is missing.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Options::new().open(path)
    }

    /// Drops this clone. If it is the last, with the last of its claims, its threads have
    /// ended and its files are closed when this returns.
    ///
    /// # Cancel safety
    /// With a dropped future the store is closed all the same.
    pub async fn close(self) {
        let Some(last) = Arc::into_inner(self.0) else { return };
        let (closed, is_closed) = oneshot::channel::<()>();
        let close = move || {
            drop(last);
            drop(closed);
        };
        // Without a thread for it the store is closed here.
        let _ = thread::Builder::new().name("legwork-store-c".into()).spawn(close);
        // It is never sent, but dropped when the store is closed.
        let _ = is_closed.await;
    }

    /// What it wrote since it was opened, and how large its files are.
    pub fn stats(&self) -> Stats {
        let size = |path: PathBuf| std::fs::metadata(path).map_or(0, |file| file.len());
        let mut stats = self.0.writer.as_ref().map(Writer::stats).unwrap_or_default();
        stats.file = size(self.0.path.clone());
        stats.wal = size(sibling(&self.0.path, "-wal"));
        stats
    }
}

/// The path with a suffix added to the file's name.
fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The folder with the locks of claims.
fn claims(store: &Path) -> PathBuf {
    sibling(store, "-claims")
}

impl Drop for Inner {
    fn drop(&mut self) {
        // A future borrows the store or a claim of it: nobody waits for an answer any more.
        self.closing.begin();
    }
}

impl Inner {
    fn writer(&self) -> Result<&Writer, Error> {
        self.writer.as_ref().ok_or_else(|| {
            self.name.unusable("it can only be read; open it where it may be written")
        })
    }

    async fn claim(self: &Arc<Self>, session: &SessionId) -> Result<Claim, Error> {
        check_id(session)?;
        let writer = self.writer()?;
        let lock = Lock::claim(&self.name, &claims(&self.path), session).await?;
        let taken = {
            let (name, session) = (self.name.clone(), session.clone());
            let take = move |tx: &Connection| update::take(tx, &name, &session);
            writer.write(Synced::WithNext, take, || ()).await?
        };
        Ok(Claim::new(Arc::clone(self), session.clone(), taken, lock))
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &Name) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.reader.read(work).await
    }

    async fn inbox(&self, session: SessionId, after: Cursor) -> Result<Vec<Posted>, Error> {
        let question = move |connection: &Connection, name: &Name| {
            query::inbox(connection, name, &session, after)
        };
        if let Some(writer) = &self.writer
            && let Some(committer) = writer.at_hand()
            && let Ok(items) = committer.ask(&question)
        {
            return Ok(items);
        }
        // This one may wait for locks, and returns the error.
        self.look(question).await
    }

    /// Reads something short, while a long journal may be read on another thread.
    async fn look<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection, &Name) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.quick.as_ref().unwrap_or(&self.reader).read(question).await
    }

    async fn post(&self, session: &SessionId, key: &str, item: &Item) -> Result<Cursor, Error> {
        check_id(session)?;
        let writer = self.writer()?;
        let item = serde_json::to_vec(item)
            .map_err(|error| self.name.failed(format!("the item cannot be encoded: {error}")))?;
        let notify = self.notifies(session);
        let (name, of, key) = (self.name.clone(), session.clone(), key.to_owned());
        let post = move |tx: &Connection| update::post(tx, &name, &of, &key, &item);
        let cursor = writer.write(Synced::Now, post, notify).await?;
        trace!(session = session.as_str(), cursor = cursor.0, "an item was posted");
        Ok(cursor)
    }

    /// Wakes the tasks that wait for a change of a session.
    fn notifies(&self, session: &SessionId) -> impl FnOnce() + Send + 'static {
        let (watchers, session) = (self.watchers.clone(), session.clone());
        move || watchers.notify(&session)
    }
}

impl legwork_port::Store for Store {
    fn claim<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Box<dyn legwork_port::Claim>, Error>> {
        Box::pin(async move {
            let claim = self.0.claim(session).await?;
            Ok(Box::new(claim) as Box<dyn legwork_port::Claim>)
        })
    }

    fn is_claimed<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<bool>, Error>> {
        Box::pin(async { Lock::is_held(&self.0.name, &claims(&self.0.path), session).map(Some) })
    }

    fn read<'a>(
        &'a self,
        session: &'a SessionId,
        range: Range,
    ) -> BoxFuture<'a, Result<Loaded, Error>> {
        let session = session.clone();
        Box::pin(
            self.0.read(move |connection, name| query::load(connection, name, &session, range)),
        )
    }

    fn sessions<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Page, Error>> {
        let query = query.clone();
        Box::pin(self.0.read(move |connection, name| listing::sessions(connection, name, &query)))
    }

    fn due<'a>(&'a self, query: &'a DueQuery) -> BoxFuture<'a, Result<Page, Error>> {
        Box::pin(self.0.due(query.clone()))
    }

    fn post<'a>(
        &'a self,
        session: &'a SessionId,
        key: &'a str,
        item: &'a Item,
    ) -> BoxFuture<'a, Result<Cursor, Error>> {
        Box::pin(self.0.post(session, key, item))
    }

    fn inbox<'a>(
        &'a self,
        session: &'a SessionId,
        after: Cursor,
    ) -> BoxFuture<'a, Result<Vec<Posted>, Error>> {
        let session = session.clone();
        Box::pin(self.0.inbox(session, after))
    }

    fn watch(&self, session: &SessionId) -> Option<BoxFuture<'static, ()>> {
        Some(self.0.watchers.watch(session))
    }

    fn remove<'a>(&'a self, sessions: &'a [SessionId]) -> BoxFuture<'a, Result<Removal, Error>> {
        Box::pin(self.0.remove(sessions))
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("path", &self.0.path).finish_non_exhaustive()
    }
}

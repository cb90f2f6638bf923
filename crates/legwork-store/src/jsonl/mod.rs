//! Journals and inboxes as plain files: a folder a session, JSON a line, no database.
//!
//! The journal of a session is a text file that `tail -f`, `grep` and `jq` read, and that other
//! programs may read at any time. Nobody but this module writes to the files. Many processes may
//! use one store at once, on a file system of this machine; all files are for the owner alone:
//!
//! | file | holds |
//! |---|---|
//! | `legwork.json` | the mark of a store, and its version |
//! | `sessions/ID/journal.jsonl` | the journal: each entry as `legwork sessions show ID --json` prints it. A line that ends with a space belongs to the same append as the next one |
//! | `sessions/ID/inbox.jsonl` | the inbox: an item a line, with its number and its key |
//! | `sessions/ID/head` | where both files end, the newest claim's token, and the summary: what lists read |
//! | `sessions/ID/index` | where some entries of a long journal begin; made anew when it is missing |
//! | `sessions/ID/cut` | damage that was set aside, as it was, each piece behind a line that describes it |
//! | `sessions/ID/id` | the id of a session whose folder cannot have its full name |
//! | `claims/` | a file per live claim |
//! | `due/` | an empty file for each session that may have work to do |
//! | `removing`, `trash/` | sessions that are being removed |
//!
//! The name of a session's folder is its id, in which all but lower-case ASCII letters, digits and
//! some signs is written as `%` and two hexadecimal digits; a long one is cut and ends with a
//! digest.
//!
//! An append is one write and one sync of the journal, and a write of the head that is not synced:
//! what a head lacks after a crash is found by the length of the journal, and taken up by the next
//! claim. A session that nobody works in has no file open and nothing in memory.

mod append;
mod batches;
mod claim;
mod cut;
mod due;
mod entered;
mod fault;
mod file_name;
mod files;
mod head;
mod held;
mod inbox;
mod index;
mod layout;
mod listing;
mod lock;
mod refused;
mod removal;
mod snapshot;
mod tail;
mod workers;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use legwork_core::SessionId;
use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_port::BoxFuture;
use legwork_port::store::{
    DueQuery, Error, Loaded, Page, Query, Range, Removal, Watchers, check_id,
};
use tokio::sync::oneshot;
use tracing::{info, trace, warn};

use claim::Claim;
use held::Held;
use inbox::Post;
use layout::Layout;
use workers::Workers;

use crate::lock::Lock;

/// The version of the layout that this code writes.
pub const VERSION: u32 = 1;

/// Threads that write at most: so many sessions can be synced at once.
const WRITERS: usize = 4;

/// Threads that read at most.
const READERS: usize = 2;

/// Settings for opening a store.
#[derive(Debug, Clone)]
pub struct Options {
    read_only: bool,
    patience: Duration,
    commits: Commits,
}

/// The thread that writes and syncs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Commits {
    /// A few threads of the store: no thread of the caller is blocked. For servers.
    #[default]
    Threads,
    /// The caller's thread: no other one has to be woken, but the caller's other tasks wait for
    /// the disk. For programs with one run at a time.
    ///
    /// A change that would have to wait for another one goes to a thread of the store.
    Inline,
}

impl Default for Options {
    fn default() -> Self {
        let (read_only, patience) = (false, Duration::from_secs(30));
        Self { read_only, patience, commits: Commits::default() }
    }
}

impl Options {
    /// For reading and writing; the folder is created if it is missing.
    pub fn new() -> Self {
        Self::default()
    }

    /// For reading only: creates nothing, and refuses claims, posts and removals.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// How long to wait for an operation of another process on the same session; 30 s by default.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Which thread writes and syncs; [`Commits::Threads`] by default.
    #[must_use]
    pub fn commits(mut self, commits: Commits) -> Self {
        self.commits = commits;
        self
    }

    /// Opens the store in a folder. Folders that are missing are made, for the owner alone.
    ///
    /// A folder that may not be written is opened all the same and can be read.
    ///
    /// # Errors
    /// [`Error::Newer`] if a newer Legwork made it, [`Error::Unusable`] if it is something else
    /// or cannot be opened.
    pub fn open(self, folder: impl AsRef<Path>) -> Result<Store, Error> {
        let layout = Layout::open(folder.as_ref(), self.read_only, self.patience)?;
        let read_only = layout.read_only;
        if !read_only {
            layout.restore_due()?;
            if let Err(refused) = layout.finish_any_removal() {
                let error = Error::from(refused);
                warn!(%error, "sessions that were removed are not deleted yet");
            }
        }
        info!(path = %layout.root.display(), read_only, "a store was opened");
        let name = || layout.name.clone();
        let inline = self.commits == Commits::Inline;
        let writers = Workers::new(name(), "legwork-store-w", WRITERS, inline);
        let writers = Some(writers).filter(|_| !read_only);
        let readers = Workers::new(name(), "legwork-store-r", READERS, false);
        let (layout, watchers) = (Arc::new(layout), Watchers::new());
        Ok(Store(Arc::new(Inner { layout, readers, writers, watchers })))
    }
}

/// A store in a folder of plain files; clones share it.
///
/// # Blocking
/// Dropping the last clone, with the last of its claims, blocks until its threads have ended. They
/// finish what they write, but wait for no other process. [`Store::close`] does the same without
/// blocking.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    layout: Arc<Layout>,
    readers: Workers,
    writers: Option<Workers>,
    watchers: Watchers,
}

impl Store {
    /// Opens the store in a folder, for reading and writing; creates it if it is missing.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, Error> {
        Options::new().open(folder)
    }

    /// Drops this clone. If it is the last, with the last of its claims, its threads have ended
    /// when this returns.
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
}

impl Drop for Inner {
    fn drop(&mut self) {
        // A future borrows the store or a claim of it: nobody waits for an answer any more.
        self.layout.waiting.end();
    }
}

impl Inner {
    fn writers(&self) -> Result<&Workers, Error> {
        self.writers.as_ref().ok_or_else(|| {
            self.layout.name.unusable("it can only be read; open it where it may be written")
        })
    }

    async fn claim(self: &Arc<Self>, session: &SessionId) -> Result<Claim, Error> {
        check_id(session)?;
        let writers = self.writers()?;
        let lock = Lock::claim(&self.layout.name, &self.layout.claims(), session).await?;
        let (layout, of, mut lock) = (Arc::clone(&self.layout), session.clone(), Some(lock));
        let take = move |wait| Held::claim(&layout, &of, &mut lock, wait);
        Ok(Claim::new(Arc::clone(self), writers.run(take).await?))
    }

    async fn post(&self, session: &SessionId, key: &str, item: &Item) -> Result<Cursor, Error> {
        check_id(session)?;
        let layout = Arc::clone(&self.layout);
        let item = serde_json::to_vec(item)
            .map_err(|error| layout.name.failed(format!("the item cannot be encoded: {error}")))?;
        let notify = self.notifies(session);
        let post = Post { session: session.clone(), key: key.to_owned(), item };
        let post = move |wait| post.run(&layout, wait).inspect(|_| notify());
        let cursor = self.writers()?.run(post).await?;
        trace!(session = session.as_str(), cursor = cursor.0, "an item was posted");
        Ok(cursor)
    }

    async fn remove(&self, sessions: &[SessionId]) -> Result<Removal, Error> {
        let writers = self.writers()?;
        let sessions: BTreeSet<_> = sessions.iter().cloned().collect();
        if sessions.is_empty() {
            return Ok(Removal::Complete);
        }
        let (mut claims, folder) = (Vec::new(), self.layout.claims());
        for session in &sessions {
            claims.push(Lock::claim(&self.layout.name, &folder, session).await?);
        }
        let (count, layout) = (sessions.len(), Arc::clone(&self.layout));
        let watchers = self.watchers.clone();
        let remove = move |wait| {
            let removal = layout.remove(&sessions, wait)?;
            // The sessions are free when the answer is there.
            claims.clear();
            sessions.iter().for_each(|session| watchers.notify(session));
            Ok(removal)
        };
        writers.run(remove).await.inspect(|removal| match removal {
            Removal::Traces(reason) => {
                warn!(reason, "sessions were removed, but their files may still be there");
            }
            _ => info!(sessions = count, "sessions were removed"),
        })
    }

    /// Wakes the tasks that wait for a change of a session.
    fn notifies(&self, session: &SessionId) -> impl Fn() + Send + 'static {
        let (watchers, session) = (self.watchers.clone(), session.clone());
        move || watchers.notify(&session)
    }

    async fn items(&self, session: SessionId, after: Cursor) -> Result<Vec<Posted>, Error> {
        let layout = Arc::clone(&self.layout);
        self.readers.run(move |_| layout.items(&session, after)).await
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
        let layout = &self.0.layout;
        Box::pin(async { Lock::is_held(&layout.name, &layout.claims(), session).map(Some) })
    }

    fn read<'a>(
        &'a self,
        session: &'a SessionId,
        range: Range,
    ) -> BoxFuture<'a, Result<Loaded, Error>> {
        let (layout, session) = (Arc::clone(&self.0.layout), session.clone());
        Box::pin(self.0.readers.run(move |_| layout.load(&session, range)))
    }

    fn sessions<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Page, Error>> {
        let (layout, query) = (Arc::clone(&self.0.layout), query.clone());
        Box::pin(self.0.readers.run(move |_| layout.list(&query)))
    }

    fn due<'a>(&'a self, query: &'a DueQuery) -> BoxFuture<'a, Result<Page, Error>> {
        let (layout, query) = (Arc::clone(&self.0.layout), query.clone());
        Box::pin(self.0.readers.run(move |_| layout.find_due(&query)))
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
        Box::pin(self.0.items(session.clone(), after))
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
        f.debug_struct("Store").field("path", &self.0.layout.root).finish_non_exhaustive()
    }
}

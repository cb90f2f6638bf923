//! Journals and inboxes in a Postgres database, for programs on several machines.
//!
//! The address is `postgres://user:password@host:port/database`, with the parameters of Postgres
//! (`sslmode`, `sslrootcert`, ..) and `schema`: the Postgres schema that has the tables, `legwork`
//! if none is named. They are made when the store is first used; `schema.sql` in this module says
//! what is in them. A store connects when it is first used, and again when a connection breaks.
//!
//! # Claims
//! A claim is a lease: it ends when it is given back, or some time after it was last renewed, by
//! the clock of the server. Then another process may take it, and nothing of the earlier holder
//! is written any more. Until another process takes it, the holder may write, also after the lease
//! has ended.
//!
//! # A server that is away
//! What is asked while the server restarts, or over a connection that breaks, is asked again on
//! another connection for a few seconds ([`Options::patience`]). An append whose answer was lost
//! is made again under the same condition, so it happens once; if it had happened, the store
//! finds its entries and returns `Ok`. If the server stays away, the error is
//! [`Error::Failed`], and whether the append happened shows
//! the next one that expects the same entry: then it fails with
//! [`Error::Moved`].
//!
//! # Watching
//! A task that watches a session is woken by each change of this process, and by posts of others
//! if the server is reached directly, not over a pool that shares connections between
//! transactions. It listens on a connection of its own from the first call of `watch` on.
//!
//! A store is used within a runtime of tokio's. It is made for one: connections that another
//! runtime opened, and that ended with it, are replaced.

mod address;
mod append;
mod claim;
mod damage;
mod fault;
mod holders;
mod idle;
mod inbox;
mod journal;
mod link;
mod listening;
mod listing;
mod remove;
mod schema;
mod sql;
mod summary;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::SessionId;
use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_port::BoxFuture;
use legwork_port::store::{
    DueQuery, Error, Loaded, Page, PageCursor, Query, Range, Removal, Watchers, check_id,
};
use sqlx::postgres::types::PgInterval;
use tokio::runtime::Handle;
use tracing::{info, trace};

use address::Address;
use claim::{Claim, IsClaimed, Take};
use holders::Holder;
use inbox::{Items, Post};
use journal::Load;
use link::Link;
use listening::Listening;
use listing::{List, ListDue, Position};
use remove::Remove;

/// The schema version that this code writes.
pub const VERSION: u32 = 1;

/// Why a removal is not complete.
const TRACES: &str = "Postgres keeps deleted rows in its files until it uses their space again, and \
    in its write-ahead log and the copies made of it; `VACUUM FULL` of the tables in the store's \
    schema, and a checkpoint, remove them from the tables";

/// Settings for opening a store.
#[derive(Debug, Clone)]
pub struct Options {
    read_only: bool,
    lease: Duration,
    patience: Duration,
    connections: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            read_only: false,
            lease: Duration::from_secs(30),
            patience: Duration::from_secs(5),
            connections: 10,
        }
    }
}

impl Options {
    /// For reading and writing; the tables are made if they are missing.
    pub fn new() -> Self {
        Self::default()
    }

    /// For reading only: makes nothing, and refuses claims, posts and removals.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// How long a claim lasts after it was taken or renewed; 30 s by default, 100 ms at least.
    ///
    /// A session whose process died can be claimed when so much time has passed. A claim must be
    /// renewed three times as often.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease.max(Duration::from_millis(100));
        self
    }

    /// How long to wait for a server that was there and is away; 5 s by default.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// How many connections to use at once, at most; 10 by default.
    #[must_use]
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// Opens the store at an address. It connects when it is first used.
    ///
    /// # Errors
    /// [`Error::Unusable`] if the address cannot be read. The first use fails with
    /// [`Error::Newer`] if a newer Legwork made the tables, and with [`Error::Unusable`] if they
    /// are of something else, or the server refuses the user and the password.
    pub fn open(self, url: &str) -> Result<Store, Error> {
        let link = Link::new(Address::read(url)?, &self);
        let (lease, watchers) = (self.lease, Watchers::new());
        let listening = Listening::default();
        Ok(Store(Arc::new(Inner { link, lease, watchers, listening })))
    }
}

/// A store in a Postgres database; clones share it.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    link: Link,
    lease: Duration,
    watchers: Watchers,
    listening: Listening,
}

impl Store {
    /// Opens the store at an address, for reading and writing.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(url: &str) -> Result<Self, Error> {
        Options::new().open(url)
    }
}

impl Inner {
    fn check_writable(&self) -> Result<(), Error> {
        match self.link.is_read_only() {
            true => {
                Err(self.link.name.unusable("it can only be read; open it where it may be written"))
            }
            false => Ok(()),
        }
    }

    fn renew_every(&self) -> Duration {
        self.lease / 3
    }

    fn interval(&self) -> PgInterval {
        let microseconds = i64::try_from(self.lease.as_micros()).unwrap_or(i64::MAX);
        PgInterval { months: 0, days: 0, microseconds }
    }

    /// Does something to its end even if the caller stops waiting for it.
    async fn detached<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        let name = &self.link.name;
        let runtime = Handle::try_current().map_err(|_| self.link.no_runtime())?;
        match runtime.spawn(work).await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(name.failed("the runtime that it is used in ends")),
            },
        }
    }

    async fn claim(self: &Arc<Self>, session: &SessionId) -> Result<Claim, Error> {
        check_id(session)?;
        self.check_writable()?;
        let (store, session, lease) = (Arc::clone(self), session.clone(), self.interval());
        self.detached(async move {
            let holder = Holder::new();
            let take = Take { session: session.clone(), holder, lease };
            match store.link.ask(&take).await {
                Ok(Ok(taken)) => Ok(Claim::new(store, session, taken, holder)),
                Ok(Err(refused)) => {
                    holder.forget();
                    Err(refused)
                }
                // It may have been taken all the same.
                Err(error) => {
                    holder.give_back(store.lease);
                    Err(error)
                }
            }
        })
        .await
    }

    async fn post(
        self: &Arc<Self>,
        session: &SessionId,
        key: &str,
        item: &Item,
    ) -> Result<Cursor, Error> {
        check_id(session)?;
        self.check_writable()?;
        let item = serde_json::to_vec(item).map_err(|error| {
            self.link.name.failed(format!("the item cannot be encoded: {error}"))
        })?;
        let post = Post { session: session.clone(), key: key.to_owned(), item };
        let store = Arc::clone(self);
        let cursor = self.detached(async move {
            let cursor = store.link.ask(&post).await?;
            store.watchers.notify(&post.session);
            Ok(cursor)
        });
        let cursor = cursor.await?;
        trace!(session = session.as_str(), cursor = cursor.0, "an item was posted");
        Ok(cursor)
    }

    async fn remove(self: &Arc<Self>, sessions: &[SessionId]) -> Result<Removal, Error> {
        self.check_writable()?;
        let sessions: BTreeSet<_> = sessions.iter().cloned().collect();
        if sessions.is_empty() {
            return Ok(Removal::Complete);
        }
        let store = Arc::clone(self);
        self.detached(async move {
            store.link.ask(&Remove::new(sessions.clone())).await??;
            sessions.iter().for_each(|session| store.watchers.notify(session));
            info!(sessions = sessions.len(), "sessions were removed");
            Ok(Removal::Traces(TRACES.to_owned()))
        })
        .await
    }

    /// Notices posts of other processes from now on.
    fn listen(&self) {
        let (options, channel) = (self.link.options(), self.link.sql.schema());
        self.listening.start(options, channel, &self.watchers);
    }

    /// The position that a page goes on after.
    fn position(&self, cursor: Option<&PageCursor>) -> Result<Option<Position>, Error> {
        let Some(cursor) = cursor else { return Ok(None) };
        match cursor.place() {
            Some((at, session)) => Ok(Some((at.0, session))),
            None => Err(self.link.name.page_cursor(cursor.as_str())),
        }
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
        let ask = IsClaimed { session: session.clone() };
        Box::pin(async move { self.0.link.ask(&ask).await.map(Some) })
    }

    fn read<'a>(
        &'a self,
        session: &'a SessionId,
        range: Range,
    ) -> BoxFuture<'a, Result<Loaded, Error>> {
        let load = Load { session: session.clone(), range };
        Box::pin(async move { self.0.link.ask(&load).await })
    }

    fn sessions<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Page, Error>> {
        Box::pin(async move {
            let after = self.0.position(query.after.as_ref())?;
            self.0.link.ask(&List { query: query.clone(), after }).await
        })
    }

    fn due<'a>(&'a self, query: &'a DueQuery) -> BoxFuture<'a, Result<Page, Error>> {
        Box::pin(async move {
            let after = self.0.position(query.after.as_ref())?;
            self.0.link.ask(&ListDue { query: query.clone(), after }).await
        })
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
        let (name, session) = (self.0.link.name.clone(), session.clone());
        Box::pin(async move { self.0.link.ask(&Items { name, session, after }).await? })
    }

    fn watch(&self, session: &SessionId) -> Option<BoxFuture<'static, ()>> {
        self.0.listen();
        Some(self.0.watchers.watch(session))
    }

    fn remove<'a>(&'a self, sessions: &'a [SessionId]) -> BoxFuture<'a, Result<Removal, Error>> {
        Box::pin(self.0.remove(sessions))
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("address", &self.0.link.name.to_string())
            .finish_non_exhaustive()
    }
}

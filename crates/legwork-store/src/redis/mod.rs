//! Journals and inboxes on a Redis server, for processes on many machines.
//!
//! An address is `redis://[USER:PASSWORD@]HOST[:PORT][/DB]`, `rediss://..` for TLS, or
//! `redis+unix:///PATH?db=DB`. The parameter `prefix=NAME` is what all keys begin with, `legwork`
//! if it is missing; `durable=require` refuses a server that may lose an acknowledged append. The
//! server is Redis 7.0 or newer, or Valkey, and no cluster. It is connected when it is first used.
//!
//! # Durability
//! A server keeps what it acknowledged only with `appendonly yes` and `appendfsync always`, and
//! with no `maxmemory-policy` that deletes keys without an end. With other settings a `WARN` event
//! says what may be lost; [`Options::require_durable`] refuses them. A replica that takes over may
//! lack the last appends whatever is set.
//!
//! # Layout, version 1
//! All keys begin with the prefix and a colon. Those of a session end with its id in braces.
//!
//! | key | type | holds |
//! |---|---|---|
//! | `version` | string | the version of the layout |
//! | `fence` | string | the last fence that was given; it outlives sessions |
//! | `listed` | sorted set | for each session with an entry the time of the last one, in ms since 1970 as 20 digits, and its id; all scores are 0, so the order is that of the bytes |
//! | `due` | sorted set | the same of sessions that may be due, with the time since when |
//! | `removal:TOKEN` | string | for two minutes, that a removal was done |
//! | `s:{ID}` | hash | see below |
//! | `j:{ID}` | stream | the journal: entry `N` has the id `N-0` and the field `e`, a line of JSON |
//! | `c:{ID}` | stream | entries that were set aside as damaged: their id is in the field `at` |
//! | `i:{ID}` | stream | the inbox: item `N` has the id `N-0`, the field `k` is its key and `i` is JSON |
//! | `k:{ID}` | hash | the number of the item of each key |
//!
//! | field of a session | holds |
//! |---|---|
//! | `fence`, `until`, `by` | the newest claim: its fence, when its lease ends in microseconds since 1970, and who asked for it; it has no `until` if it was given back |
//! | `born`, `cuts` | the fence of the first claim, and how often a tail was set aside: a reader of several ranges sees by them that the journal was replaced |
//! | `last`, `created`, `updated` | the number of the last entry, and when the first and the last were made, as 20 digits |
//! | `done_under`, `done` | the fence of the last append, and its number under this fence: an append that is sent again because its answer was lost does nothing |
//! | `summary`, `taken`, `due_at` | the summary as JSON, and two of its fields, the time as 20 digits |
//! | `posted`, `due` | the last item of the inbox, or `taken` if that is greater; the time in `due` |
//!
//! Each write is one script, so it is done whole or not at all, and an append costs the same
//! however long the journal is: all types have ordered or hashed access.

mod address;
mod append;
mod claim;
mod due;
mod fault;
mod greeting;
mod inbox;
mod journal;
mod keys;
mod link;
mod listing;
mod removal;
mod reply;
mod script;
mod turns;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use legwork_core::SessionId;
use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_port::BoxFuture;
use legwork_port::store::{DueQuery, Error, Loaded, Page, Query, Range, Removal, Watchers};
use redis::Client;
use tokio::runtime::Handle;
use tracing::{Instrument as _, info};

use address::Address;
use greeting::Terms;
use keys::Keys;
use link::Link;
use turns::Turns;
use watch::Listener;

/// The version of the layout that this code writes.
pub const VERSION: u32 = 1;

/// Settings for opening a store.
#[derive(Debug, Clone)]
pub struct Options {
    read_only: bool,
    require_durable: bool,
    lease: Duration,
    patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            read_only: false,
            require_durable: false,
            lease: Duration::from_secs(30),
            patience: Duration::from_secs(5),
        }
    }
}

impl Options {
    /// For reading and writing.
    pub fn new() -> Self {
        Self::default()
    }

    /// For reading only: creates nothing, and refuses claims, posts and removals.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Refuses a server that may lose an acknowledged append, as `durable=require` in the
    /// address does.
    #[must_use]
    pub fn require_durable(mut self) -> Self {
        self.require_durable = true;
        self
    }

    /// How long a claim lasts without being renewed; 30 s by default, 100 ms at least.
    ///
    /// After a holder died, its session can be claimed when this time is over. Claims are to be
    /// renewed three times as often.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease.max(Duration::from_millis(100));
        self
    }

    /// How long a call goes on trying when a server that was connected is away; 5 s by default.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Opens the store at an address. The server is connected when it is first used.
    ///
    /// # Errors
    /// [`Error::Unusable`] if it is not an address. Whether there is a server, and what is there
    /// has a newer version, is known at the first use.
    pub fn open(self, address: &str) -> Result<Store, Error> {
        let address = Address::read(address)?;
        let (name, keys) = (address.name, Keys::new(&address.prefix));
        let channel = keys.channel(address.server.redis_settings().db());
        let terms = Terms {
            keys: keys.clone(),
            known: VERSION,
            read_only: self.read_only,
            require_durable: self.require_durable || address.require_durable,
        };
        link::provide_tls(&address.server);
        let client = Client::open(address.server)
            .map_err(|error| name.unusable(format!("its address cannot be used: {error}")))?;
        info!(address = %name, read_only = self.read_only, "a store was opened");
        let link = Link::new(name, client, terms, self.patience);
        let (turns, watchers, listener) = <_>::default();
        let id = format!("{:016x}", fastrand::u64(..));
        let inner = Inner { link, keys, channel, id, options: self, turns, watchers, listener };
        Ok(Store(Arc::new(inner)))
    }
}

/// A store on a Redis server; clones share it and its connection.
///
/// It is used within a tokio runtime. If that ends, the connection ends with it, and is made
/// again in the next.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    link: Link,
    keys: Keys,
    /// The channel on which changes are published.
    channel: String,
    /// A random name of this handle, by which it knows its own claims.
    id: String,
    options: Options,
    turns: Turns,
    watchers: Watchers,
    listener: Listener,
}

impl Store {
    /// Opens the store at an address, for reading and writing.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(address: &str) -> Result<Self, Error> {
        Options::new().open(address)
    }
}

impl Inner {
    fn check_writable(&self) -> Result<(), Error> {
        match self.options.read_only {
            false => Ok(()),
            true => Err(self.link.name.unusable("it was opened for reading only")),
        }
    }

    /// The runtime that the caller is in.
    fn runtime(&self) -> Result<Handle, Error> {
        Handle::try_current().map_err(|_| {
            self.link.name.unusable("it can be used within a tokio runtime only; start one")
        })
    }

    /// Does work in a task of its own, so that it ends whole if the caller's future is dropped.
    async fn in_task<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        match self.runtime()?.spawn(work.in_current_span()).await {
            Ok(result) => result,
            Err(error) if error.is_panic() => Err(Error::Panicked { message: error.to_string() }),
            Err(_) => Err(self.link.name.failed("the runtime ended before it answered")),
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
        Box::pin(async { self.0.is_claimed(session).await.map(Some) })
    }

    fn read<'a>(
        &'a self,
        session: &'a SessionId,
        range: Range,
    ) -> BoxFuture<'a, Result<Loaded, Error>> {
        Box::pin(self.0.load(session, range))
    }

    fn sessions<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Page, Error>> {
        Box::pin(self.0.sessions(query))
    }

    fn due<'a>(&'a self, query: &'a DueQuery) -> BoxFuture<'a, Result<Page, Error>> {
        Box::pin(self.0.due(query))
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
        Box::pin(self.0.inbox(session, after))
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
        let address = self.0.link.name.to_string();
        f.debug_struct("Store").field("address", &address).finish_non_exhaustive()
    }
}

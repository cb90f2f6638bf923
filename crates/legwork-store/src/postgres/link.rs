//! The connections to the server, and what happens when they break.
//!
//! The library's pool asks the server whether a connection works each time that one is given
//! back. That is a round trip for each operation, in which the connection cannot be used; here a
//! broken one is noticed when it is used, and what was asked is asked again on another.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use legwork_port::store::Error;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use tokio::runtime::Handle;
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::Options;
use super::address::Address;
use super::fault::{Fault, timed_out};
use super::schema;
use super::sql::Sql;
use crate::name::Name;

/// A connection that was not used for so long is closed.
const IDLE: Duration = Duration::from_secs(300);

/// How long a request waits for those that use all connections.
const WAITING: Duration = Duration::from_secs(60);

/// How long a connection may take at least, whatever the patience is.
const CONNECTING: Duration = Duration::from_secs(5);

/// The first pause before something is tried again; the next is twice as long, and so on.
const PAUSE: Duration = Duration::from_millis(10);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Something that is asked of the server. It can be asked again if a connection breaks.
pub(super) trait Request: Send + Sync {
    type Answer: Send;

    /// What is tried, for errors.
    const TRIED: &'static str;

    /// How long an answer may take until the connection counts as broken.
    const LIMIT: Duration = Duration::from_secs(30);

    /// Asks it once. `before` says whether it may have been done already.
    fn ask(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
        before: Before,
    ) -> impl Future<Output = Result<Self::Answer, sqlx::Error>> + Send;
}

/// What is known of earlier attempts at a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// It was not done.
    Nothing,
    /// It was done, or not: a connection broke.
    InDoubt,
}

pub(super) struct Link {
    pub(super) name: Name,
    pub(super) sql: Sql,
    options: PgConnectOptions,
    patience: Duration,
    read_only: bool,
    permits: Semaphore,
    idle: Mutex<Vec<Idle>>,
    /// Set once the tables are known to be there.
    ready: OnceCell<()>,
}

/// A connection that waits to be used.
struct Idle {
    connection: PgConnection,
    since: Instant,
}

/// A connection that is used. It is closed, unless it is kept.
struct Used<'l> {
    link: &'l Link,
    connection: PgConnection,
    _permit: SemaphorePermit<'l>,
}

impl Used<'_> {
    /// Keeps it after an error, which may have left a transaction open that holds locks: the
    /// library ends that with the next message that it sends.
    async fn end_transaction(mut self) {
        if matches!(timeout(CONNECTING, self.connection.ping()).await, Ok(Ok(()))) {
            self.keep();
        }
    }

    /// Keeps it for the next request.
    fn keep(self) {
        let Self { link, connection, .. } = self;
        let mut idle = link.idle();
        idle.retain(|idle| idle.since.elapsed() < IDLE);
        idle.push(Idle { connection, since: Instant::now() });
    }
}

impl Link {
    pub(super) fn new(address: Address, options: &Options) -> Self {
        Self {
            name: address.name,
            sql: Sql::new(address.schema),
            options: address.options,
            patience: options.patience,
            read_only: options.read_only,
            permits: Semaphore::new(options.connections.max(1)),
            idle: Mutex::default(),
            ready: OnceCell::new(),
        }
    }

    pub(super) fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Asks the server, and again on another connection if one breaks or the server restarts.
    pub(super) async fn ask<R: Request>(&self, request: &R) -> Result<R::Answer, Error> {
        let failed = |error: &sqlx::Error| self.name.postgres(R::TRIED, error);
        self.runs_on_tokio()?;
        let (mut before, mut pause, mut until) = (Before::Nothing, PAUSE, None);
        loop {
            let mut used = self.connection(until).await.map_err(|error| failed(&error))?;
            self.prepare(&mut used).await?;
            let asked = request.ask(&mut used.connection, &self.sql, before);
            let error = match timeout(R::LIMIT, asked).await {
                Ok(Ok(answer)) => {
                    used.keep();
                    return Ok(answer);
                }
                Ok(Err(error)) => error,
                Err(_) => timed_out(),
            };
            match Fault::of(&error) {
                Fault::Refused => {
                    used.end_transaction().await;
                    return Err(failed(&error));
                }
                Fault::Undone => used.end_transaction().await,
                Fault::Broken => {
                    drop(used);
                    // A server that restarted knows none of them.
                    self.idle().clear();
                    before = Before::InDoubt;
                }
            }
            let now = Instant::now();
            if now + pause > *until.get_or_insert(now + self.patience) {
                return Err(failed(&error));
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// The tables are looked for, and made, before the first request of a store.
    async fn prepare(&self, used: &mut Used<'_>) -> Result<(), Error> {
        let connection = &mut used.connection;
        self.ready.get_or_try_init(move || schema::prepare(self, connection)).await.map(drop)
    }

    /// A connection that waits, or a new one.
    async fn connection(&self, until: Option<Instant>) -> Result<Used<'_>, sqlx::Error> {
        let until = until.unwrap_or_else(|| Instant::now() + self.patience);
        let permit = timeout(WAITING, self.permits.acquire()).await;
        let permit = permit.map_err(|_| timed_out())?.map_err(|_| sqlx::Error::PoolClosed)?;
        let waits = self.idle().pop();
        let connection = match waits {
            Some(Idle { connection, .. }) => connection,
            None => self.connect(until).await?,
        };
        Ok(Used { link: self, connection, _permit: permit })
    }

    /// Connects. Where that succeeded before, a server that is away for a moment is awaited.
    async fn connect(&self, until: Instant) -> Result<PgConnection, sqlx::Error> {
        let mut pause = PAUSE;
        loop {
            let connecting = PgConnection::connect_with(&self.options);
            let error = match timeout_at(until.max(Instant::now() + CONNECTING), connecting).await {
                Ok(Ok(connection)) => return Ok(connection),
                Ok(Err(error)) => error,
                Err(_) => timed_out(),
            };
            let is_known = self.ready.initialized();
            if !is_known || !Fault::may_pass(&error) || Instant::now() + pause > until {
                return Err(error);
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// The library panics without it.
    fn runs_on_tokio(&self) -> Result<(), Error> {
        Handle::try_current().map(drop).map_err(|_| self.no_runtime())
    }

    pub(super) fn no_runtime(&self) -> Error {
        self.name.unusable("it is used outside of a runtime of tokio's; use it within one")
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        // Nothing panics while it holds the lock, so what it guards is whole.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

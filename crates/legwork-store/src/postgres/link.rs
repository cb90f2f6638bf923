//! The connections to the server, and what happens when they break.
//!
//! The library's pool asks the server whether a connection works each time that one is given
//! back. That is a round trip for each operation, in which the connection cannot be used; here a
//! broken one is noticed when it is used, and what was asked is asked again on another.

use std::time::Duration;

use legwork_port::store::Error;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use tokio::runtime::Handle;
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep, timeout};

use super::Options;
use super::address::Address;
use super::fault::{Fault, timed_out};
use super::idle::Waiting;
use super::schema;
use super::sql::Sql;
use crate::name::Name;

/// How long a request waits for those that use all connections.
const WAITING: Duration = Duration::from_secs(60);

/// How long the server may take to let a connection in.
const CONNECTING: Duration = Duration::from_secs(5);

/// How long it may take to find or to make the tables.
const PREPARING: Duration = Duration::from_secs(60);

/// The first pause before something is tried again; the next is twice as long, and so on.
const PAUSE: Duration = Duration::from_millis(10);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Something that is asked of the server. It can be asked again if a connection breaks.
pub(super) trait Request: Send + Sync {
    type Answer: Send;

    /// What is tried, for errors.
    const TRIED: &'static str;

    /// What else an error says if it is not known whether it was done.
    const DOUBT: &'static str = "";

    /// How long an answer may take until the connection counts as broken.
    fn limit(&self) -> Duration {
        Duration::from_secs(30)
    }

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
    waiting: Waiting,
    /// Set once the tables are known to be there.
    ready: OnceCell<()>,
}

/// The time that is left for trying something again. It runs from the first pause on.
#[derive(Debug, Clone)]
struct Patience {
    all: Duration,
    until: Option<Instant>,
    next: Duration,
}

impl Patience {
    fn new(all: Duration) -> Self {
        Self { all, until: None, next: PAUSE }
    }

    /// Waits a moment; false if no time is left.
    async fn pause(&mut self) -> bool {
        let now = Instant::now();
        if now + self.next > *self.until.get_or_insert(now + self.all) {
            return false;
        }
        sleep(self.next).await;
        self.next = (self.next * 2).min(LONGEST_PAUSE);
        true
    }
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
        self.link.waiting.add(self.connection);
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
            waiting: Waiting::default(),
            ready: OnceCell::new(),
        }
    }

    pub(super) fn options(&self) -> &PgConnectOptions {
        &self.options
    }

    pub(super) fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Asks the server, and again on another connection if one breaks or the server restarts.
    pub(super) async fn ask<R: Request>(&self, request: &R) -> Result<R::Answer, Error> {
        self.runs_on_tokio()?;
        let (mut before, mut patience) = (Before::Nothing, Patience::new(self.patience));
        loop {
            let used = self.connection(&patience).await;
            let mut used = used.map_err(|error| self.failed::<R>(&error, before))?;
            self.prepare(&mut used).await?;
            let asked = request.ask(&mut used.connection, &self.sql, before);
            let error = match timeout(request.limit(), asked).await {
                Ok(Ok(answer)) => {
                    used.keep();
                    return Ok(answer);
                }
                Ok(Err(error)) => error,
                Err(_) => timed_out(),
            };
            match Fault::of(&error) {
                Fault::Broken => {
                    drop(used);
                    // A server that restarted knows none of them.
                    self.waiting.clear();
                    before = Before::InDoubt;
                }
                Fault::Undone => used.end_transaction().await,
                Fault::Refused => {
                    used.end_transaction().await;
                    return Err(self.failed::<R>(&error, before));
                }
            }
            if !patience.pause().await {
                return Err(self.failed::<R>(&error, before));
            }
        }
    }

    fn failed<R: Request>(&self, error: &sqlx::Error, before: Before) -> Error {
        match before {
            Before::Nothing => self.name.postgres(R::TRIED, error),
            Before::InDoubt => self.name.postgres(&[R::TRIED, R::DOUBT].concat(), error),
        }
    }

    /// The tables are looked for, and made, before the first request of a store.
    async fn prepare(&self, used: &mut Used<'_>) -> Result<(), Error> {
        let connection = &mut used.connection;
        let prepare = self.ready.get_or_try_init(move || schema::prepare(self, connection));
        match timeout(PREPARING, prepare).await {
            Ok(prepared) => prepared.map(drop),
            Err(_) => Err(self.name.postgres("looking for its tables", &timed_out())),
        }
    }

    /// A connection that waits, or a new one.
    async fn connection(&self, patience: &Patience) -> Result<Used<'_>, sqlx::Error> {
        let permit = timeout(WAITING, self.permits.acquire()).await;
        let permit = permit.ok().and_then(Result::ok).ok_or(sqlx::Error::PoolTimedOut)?;
        let connection = match self.waiting.take().await {
            Some(connection) => connection,
            None => self.connect(patience.clone()).await?,
        };
        Ok(Used { link: self, connection, _permit: permit })
    }

    /// Connects. Where that succeeded before, a server that is away for a moment is awaited.
    async fn connect(&self, mut patience: Patience) -> Result<PgConnection, sqlx::Error> {
        loop {
            let connecting = PgConnection::connect_with(&self.options);
            let error = match timeout(CONNECTING, connecting).await {
                Ok(Ok(connection)) => return Ok(connection),
                Ok(Err(error)) => error,
                Err(_) => timed_out(),
            };
            let was_there = self.ready.initialized();
            if !was_there || !Fault::may_pass(&error) || !patience.pause().await {
                return Err(error);
            }
        }
    }

    /// The library panics without it.
    fn runs_on_tokio(&self) -> Result<(), Error> {
        Handle::try_current().map(drop).map_err(|_| self.no_runtime())
    }

    pub(super) fn no_runtime(&self) -> Error {
        self.name.unusable("it is used outside of a runtime of tokio's; use it within one")
    }
}

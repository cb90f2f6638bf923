//! The connection to the server: made when it is needed, and made again when it broke.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use legwork_port::store::Error;
use redis::aio::MultiplexedConnection;
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, ConnectionInfo, Pipeline, RedisError,
    RedisResult, Value,
};
use rustls::crypto::CryptoProvider;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};
use tracing::{debug, warn};

use super::fault;
use super::greeting::{Greeting, Terms};
use super::reply::Reply;
use super::script::Call;
use crate::name::Name;

/// The first wait before something is tried again, which doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(10);

/// The longest wait before something is tried again.
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// How long a server may take to accept a connection, and again to say what it is.
const CONNECTING: Duration = Duration::from_secs(5);

/// How long a server may take to answer: one that writes its file anew is slow.
const ANSWERING: Duration = Duration::from_secs(15);

/// One connection, which all calls share; all of them may be repeated.
pub(super) struct Link {
    pub(super) name: Name,
    client: Client,
    terms: Terms,
    patience: Duration,
    open: Mutex<Open>,
    /// Whether it was ever connected: from then on a server that is away may come back.
    was_connected: AtomicBool,
}

/// The connection that is in use.
#[derive(Default)]
struct Open {
    connection: Option<MultiplexedConnection>,
    /// How many were made.
    number: u64,
    /// What the server said about itself last.
    greeting: Option<Greeting>,
}

/// What is asked of the server.
pub(super) enum Request {
    /// A script that writes.
    Write(Call),
    /// A script that does not.
    Look(Call),
    /// Commands that do not write.
    Commands(Pipeline),
}

impl Request {
    async fn send(&self, connection: &mut MultiplexedConnection) -> RedisResult<Value> {
        match self {
            Self::Write(call) | Self::Look(call) => {
                call.invocation().invoke_async(connection).await
            }
            Self::Commands(pipeline) => pipeline.query_async(connection).await,
        }
    }
}

/// Why a call got no answer, this time.
enum Trouble {
    /// The server cannot be reached; nothing was sent.
    Unreachable(RedisError),
    /// The connection broke before there was an answer.
    Broken(RedisError),
    /// The server is not ready.
    NotReady(RedisError),
    /// It will be the same the next time.
    Final(Error),
}

impl Link {
    pub(super) fn new(name: Name, client: Client, terms: Terms, patience: Duration) -> Self {
        let (open, was_connected) = (Mutex::default(), AtomicBool::new(false));
        Self { name, client, terms, patience, open, was_connected }
    }

    /// The client, for connections of another kind.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Runs a script that writes.
    pub(super) async fn write(&self, tried: &str, call: Call) -> Result<Reply, Error> {
        let value = self.ask(tried, &Request::Write(call)).await?;
        Reply::read(value).ok_or_else(|| self.name.odd(tried))
    }

    /// Runs a script that does not write.
    pub(super) async fn look(&self, tried: &str, call: Call) -> Result<Reply, Error> {
        let value = self.ask(tried, &Request::Look(call)).await?;
        Reply::read(value).ok_or_else(|| self.name.odd(tried))
    }

    /// Asks until there is an answer, or the store's patience is at an end.
    ///
    /// A call that was sent may be sent again, so each of them has to have the same effect
    /// twice as once.
    pub(super) async fn ask(&self, tried: &str, request: &Request) -> Result<Value, Error> {
        let deadline = Instant::now() + self.patience;
        let (mut wait, mut in_doubt) = (FIRST_WAIT, false);
        loop {
            let trouble = match self.try_once(tried, request).await {
                Ok(value) => return Ok(value),
                Err(trouble) => trouble,
            };
            in_doubt |= matches!((&trouble, request), (Trouble::Broken(_), Request::Write(_)));
            if !self.may_pass(&trouble) || Instant::now() + wait >= deadline {
                let error = self.error(tried, trouble);
                return Err(if in_doubt { self.name.in_doubt(tried, error) } else { error });
            }
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    /// Whether it is worth while to try again.
    fn may_pass(&self, trouble: &Trouble) -> bool {
        match trouble {
            Trouble::Unreachable(_) | Trouble::Broken(_) => {
                self.was_connected.load(Ordering::Relaxed)
            }
            Trouble::NotReady(_) => true,
            Trouble::Final(_) => false,
        }
    }

    fn error(&self, tried: &str, trouble: Trouble) -> Error {
        match trouble {
            Trouble::Unreachable(error) | Trouble::Broken(error) => {
                self.name.unreachable(tried, &error)
            }
            Trouble::NotReady(error) => self.name.redis(tried, &error),
            Trouble::Final(error) => error,
        }
    }

    async fn try_once(&self, tried: &str, request: &Request) -> Result<Value, Trouble> {
        let (mut connection, number) = self.connection(tried).await?;
        match request.send(&mut connection).await {
            Ok(value) => Ok(value),
            Err(error) if fault::is_broken(&error) => {
                self.discard(number, &error).await;
                Err(Trouble::Broken(error))
            }
            Err(error) if fault::is_passing(&error) => Err(Trouble::NotReady(error)),
            Err(error) => Err(Trouble::Final(self.name.redis(tried, &error))),
        }
    }

    /// The connection, and its number.
    async fn connection(&self, tried: &str) -> Result<(MultiplexedConnection, u64), Trouble> {
        let mut open = self.open.lock().await;
        if let Some(connection) = &open.connection {
            return Ok((connection.clone(), open.number));
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECTING))
            .set_response_timeout(Some(ANSWERING));
        let trouble = |error: RedisError| match () {
            () if fault::is_passing(&error) => Trouble::NotReady(error),
            () if fault::is_broken(&error) => Trouble::Unreachable(error),
            () => Trouble::Final(self.name.redis(tried, &error)),
        };
        let connected = self.client.get_multiplexed_async_connection_with_config(&config).await;
        let mut connection = connected.map_err(trouble)?;
        let greeting = timeout(CONNECTING, Greeting::ask(&mut connection, &self.terms)).await;
        let silent = |_| Trouble::Unreachable(io::Error::from(io::ErrorKind::TimedOut).into());
        let greeting = greeting.map_err(silent)?.map_err(trouble)?;
        greeting.check(&self.name, &self.terms).map_err(Trouble::Final)?;
        greeting.warn(&self.name, &self.terms, open.greeting.as_ref());
        open.number += 1;
        debug!(address = %self.name, number = open.number, "a connection was made");
        open.greeting = Some(greeting);
        open.connection = Some(connection.clone());
        self.was_connected.store(true, Ordering::Relaxed);
        Ok((connection, open.number))
    }

    /// Uses a connection no more, unless it was replaced already.
    async fn discard(&self, number: u64, error: &RedisError) {
        let mut open = self.open.lock().await;
        if open.number == number && open.connection.take().is_some() {
            warn!(address = %self.name, number, %error, "a connection broke");
        }
    }
}

/// Sees that there is an implementation of TLS if a server is asked for with it.
///
/// The client takes the one that the process has set up. If it has none, it is the one that all
/// of Legwork uses.
pub(super) fn provide_tls(server: &ConnectionInfo) {
    let is_tls = matches!(server.addr(), ConnectionAddr::TcpTls { .. });
    if is_tls && CryptoProvider::get_default().is_none() {
        // Fails if another thread has just set one up.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

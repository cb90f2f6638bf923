//! Where a store of a kind is, with its server.

use std::{path::Path, sync::Arc};

use legwork::{agent::memory::MemoryStore, port::Store, store};
use legwork_testkit::servers::{Postgres, Redis, Synced};
use redis::aio::MultiplexedConnection;
use sqlx::{Connection as _, PgConnection};

use super::Kind;
use crate::{error::Error, measure, subject::legwork::fail, syncs::Paused};

/// A store, and the server that it is on; dropping it stops the server.
pub(crate) struct Place {
    kind: Kind,
    /// Empty for the store in memory.
    address: String,
    memory: Option<Arc<dyn Store>>,
    link: Link,
    /// Stopped last.
    _server: Option<Server>,
}

/// A server that lives as long as its place.
#[expect(dead_code, reason = "they are dropped, which stops them")]
enum Server {
    Postgres(Postgres),
    Redis(Redis),
}

/// A connection that asks a server what it wrote.
enum Link {
    None,
    Postgres(Box<PgConnection>),
    Redis(MultiplexedConnection),
}

/// A store that is filled: it does not wait for the disk.
pub(crate) struct Filling {
    /// The store.
    pub(crate) store: Arc<dyn Store>,
    redis: Option<MultiplexedConnection>,
    _paused: Option<Paused>,
}

impl Place {
    /// An empty store, below a folder if it is one of files; none if its server is not installed.
    pub(crate) async fn open(kind: Kind, dir: &Path) -> Result<Option<Self>, Error> {
        let folder = |name: &str| format!("{}:{}", kind.name(), dir.join(name).display());
        let (address, link, server) = match kind {
            Kind::Memory => (String::new(), Link::None, None),
            Kind::Sqlite => (folder("store.db"), Link::None, None),
            Kind::Jsonl => (folder("store"), Link::None, None),
            Kind::Postgres => {
                let started = Postgres::start_with(Synced::Yes);
                let Some(server) = started.map_err(Error::io("starting Postgres"))? else {
                    return Ok(None);
                };
                let connection = PgConnection::connect(&server.url()).await.map_err(fail)?;
                let link = Link::Postgres(Box::new(connection));
                (server.url(), link, Some(Server::Postgres(server)))
            }
            Kind::Redis => {
                let started = Redis::start().map_err(Error::io("starting Redis"))?;
                let Some(server) = started else { return Ok(None) };
                let link = Link::Redis(connected(&server.url()).await?);
                (server.url(), link, Some(Server::Redis(server)))
            }
        };
        let memory = (kind == Kind::Memory).then(|| Arc::new(MemoryStore::new()) as Arc<dyn Store>);
        Ok(Some(Self { kind, address, memory, link, _server: server }))
    }

    /// The kind of the store.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// The address of the store, with the password of its server.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The store, opened anew, for one run at a time. A store in memory is always the same.
    pub(crate) fn store(&self) -> Result<Arc<dyn Store>, Error> {
        match &self.memory {
            Some(memory) => Ok(Arc::clone(memory)),
            None => store::open_inline(&self.address).map_err(fail),
        }
    }

    /// The store, to fill it fast. Nothing else may use it meanwhile.
    pub(crate) async fn fill(&self) -> Result<Filling, Error> {
        let paused = self.kind.is_of_files().then(Paused::new);
        let mut filling = Filling { store: self.store()?, redis: None, _paused: paused };
        match &self.link {
            Link::None => {}
            Link::Postgres(_) => {
                let address = format!("{}?options[synchronous_commit]=off", self.address);
                filling.store = store::open(&address).map_err(fail)?;
            }
            Link::Redis(connection) => {
                let mut connection = connection.clone();
                sync_redis(&mut connection, "no").await?;
                filling.redis = Some(connection);
            }
        }
        Ok(filling)
    }

    /// Bytes that the store wrote so far: by system calls of this process, or to the log of its
    /// server. None for the store in memory.
    pub(crate) async fn written(&mut self) -> Result<Option<f64>, Error> {
        match &mut self.link {
            Link::None => {
                let is_file = self.kind.is_of_files();
                Ok(measure::passed().filter(|_| is_file).map(|bytes| bytes as f64))
            }
            Link::Postgres(connection) => {
                let log = "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8";
                let bytes = sqlx::query_scalar(log).fetch_one(&mut **connection).await;
                bytes.map(Some).map_err(fail)
            }
            Link::Redis(connection) => {
                let mut asked = redis::cmd("INFO");
                let text: String =
                    asked.arg("persistence").query_async(connection).await.map_err(fail)?;
                let size = text.lines().find_map(|line| line.strip_prefix("aof_current_size:"));
                Ok(size.and_then(|size| size.trim().parse().ok()))
            }
        }
    }
}

impl Filling {
    /// From now on the store waits for the disk again. Open it anew.
    pub(crate) async fn end(self) -> Result<(), Error> {
        match self.redis {
            Some(mut connection) => sync_redis(&mut connection, "always").await,
            None => Ok(()),
        }
    }
}

/// A connection to a Redis server.
pub(super) async fn connected(url: &str) -> Result<MultiplexedConnection, Error> {
    let client = redis::Client::open(url).map_err(fail)?;
    client.get_multiplexed_async_connection().await.map_err(fail)
}

async fn sync_redis(connection: &mut MultiplexedConnection, when: &str) -> Result<(), Error> {
    let mut set = redis::cmd("CONFIG");
    set.arg("SET").arg("appendfsync").arg(when);
    set.query_async(connection).await.map_err(fail)
}

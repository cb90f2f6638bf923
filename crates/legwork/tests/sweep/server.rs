//! A private server that can be killed.

use std::io;

use legwork_testkit::servers::{Postgres, Redis, Synced};

use crate::kind::Kind;

/// A private server of a store, which is stopped when it is dropped.
#[derive(Debug)]
pub(crate) enum Server {
    Postgres(Postgres),
    Redis(Redis),
}

impl Server {
    /// Starts one that waits for its disk; none if it is not installed, which was printed then.
    pub(crate) fn start(kind: Kind) -> io::Result<Option<Self>> {
        match kind {
            Kind::Postgres => Ok(Postgres::start_with(Synced::Yes)?.map(Self::Postgres)),
            Kind::Redis => Ok(Redis::start()?.map(Self::Redis)),
            Kind::Sqlite | Kind::Jsonl => Ok(None),
        }
    }

    /// Its address, without a schema or prefix.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Postgres(server) => server.url(),
            Self::Redis(server) => server.url(),
        }
    }

    /// Kills it, and starts it again on its data.
    pub(crate) fn kill_and_restart(&mut self) -> io::Result<()> {
        match self {
            Self::Postgres(server) => {
                server.kill()?;
                server.restart()
            }
            Self::Redis(server) => {
                server.kill()?;
                server.restart()
            }
        }
    }
}

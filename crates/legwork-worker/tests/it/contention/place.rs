//! A store on a server, for one test.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use legwork_port::Store;
use legwork_store::{postgres, redis};
use legwork_testkit::servers::{Database, Redis};

/// Where the sessions of one test are, as long as it lives.
pub(super) enum Place {
    Postgres(Database),
    /// The address of the store, and the server if it is not a shared one.
    Redis(String, #[expect(dead_code, reason = "it lives as long as the place")] Option<Redis>),
}

impl Place {
    /// None where no server can be started; then the test has said that it skips.
    pub(super) fn postgres() -> Option<Self> {
        Database::create().unwrap().map(Self::Postgres)
    }

    /// The same of a Redis server.
    pub(super) fn redis() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let (url, server) = Redis::shared().unwrap()?;
        let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Some(Self::Redis(format!("{url}?prefix=workers-{process}-{number}"), server))
    }

    pub(super) fn url(&self) -> &str {
        match self {
            Self::Postgres(database) => database.url(),
            Self::Redis(url, _) => url,
        }
    }
}

/// Opens the store of an address, with claims that last so long.
pub(super) fn open(url: &str, lease: Duration) -> Arc<dyn Store> {
    match url.starts_with("postgres:") {
        true => {
            let options = postgres::Options::new().lease(lease).connections(4);
            Arc::new(options.open(url).unwrap())
        }
        false => Arc::new(redis::Options::new().lease(lease).open(url).unwrap()),
    }
}

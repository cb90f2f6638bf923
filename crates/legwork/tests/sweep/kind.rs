//! The kinds of stores that are swept.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use legwork::port::Store;
use legwork::port::store::Error;
use legwork::store::{open_inline, postgres, redis};

/// How long the claim of a killed process lasts on a server: short, since the next one waits for it.
const LEASE: Duration = Duration::from_millis(300);

/// A kind of store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Sqlite,
    Jsonl,
    Postgres,
    Redis,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Sqlite, Self::Jsonl, Self::Postgres, Self::Redis];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Jsonl => "jsonl",
            Self::Postgres => "postgres",
            Self::Redis => "redis",
        }
    }

    /// Whether it is a server's.
    pub(crate) fn is_remote(self) -> bool {
        matches!(self, Self::Postgres | Self::Redis)
    }

    /// The system calls by which a store of files changes what is on the disk.
    pub(crate) fn calls(self) -> &'static [&'static str] {
        match self {
            Self::Sqlite => &["write", "pwrite64", "ftruncate", "fdatasync", "fsync", "unlink"],
            Self::Jsonl => &[
                "write",
                "pwrite64",
                "ftruncate",
                "fdatasync",
                "fsync",
                "openat",
                "rename",
                "unlink",
                "mkdir",
                "unlinkat",
                "rmdir",
            ],
            Self::Postgres | Self::Redis => &[],
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| {
            format!("there is no store `{name}`: take sqlite, jsonl, postgres or redis")
        })
    }
}

/// Opens a store as the program does: files are written on its own thread, and claims on a server
/// have a short lease.
pub(crate) fn open(address: &str, patience: Duration) -> Result<Arc<dyn Store>, Error> {
    if address.starts_with("postgres:") {
        let options = postgres::Options::new().lease(LEASE).patience(patience);
        return Ok(Arc::new(options.open(address)?));
    }
    if address.starts_with("redis:") {
        let options = redis::Options::new().lease(LEASE).patience(patience);
        return Ok(Arc::new(options.open(address)?));
    }
    open_inline(address)
}

//! Opening a store by its address, with the features that are on.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_port::Store;
use legwork_port::store::Error;

use super::address::{Address, Scheme};

/// How a store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// To write, by a thread of its own if it is one of files.
    Grouped,
    /// To write, on the caller's thread if it is one of files.
    Inline,
    ToRead,
}

type Opened = Result<Arc<dyn Store>, Error>;

pub(super) fn open(address: &Address, how: How) -> Opened {
    match address.scheme() {
        Scheme::Sqlite => sqlite(address, how),
        Scheme::Jsonl => jsonl(address, how),
        Scheme::Postgres => postgres(address, how),
        Scheme::Redis => redis(address, how),
        Scheme::Memory => Ok(Arc::new(MemoryStore::new())),
    }
}

#[cfg(feature = "sqlite")]
fn sqlite(address: &Address, how: How) -> Opened {
    use legwork_store::sqlite::{Commits, Options};
    let options = match how {
        How::Grouped => Options::new(),
        How::Inline => Options::new().commits(Commits::Inline),
        How::ToRead => Options::new().read_only(),
    };
    Ok(Arc::new(options.open(address.path().unwrap_or_default())?))
}

#[cfg(not(feature = "sqlite"))]
fn sqlite(address: &Address, _: How) -> Opened {
    off(address, "sqlite")
}

#[cfg(feature = "jsonl")]
fn jsonl(address: &Address, how: How) -> Opened {
    use legwork_store::jsonl::{Commits, Options};
    let options = match how {
        How::Grouped => Options::new(),
        How::Inline => Options::new().commits(Commits::Inline),
        How::ToRead => Options::new().read_only(),
    };
    Ok(Arc::new(options.open(address.path().unwrap_or_default())?))
}

#[cfg(not(feature = "jsonl"))]
fn jsonl(address: &Address, _: How) -> Opened {
    off(address, "jsonl")
}

#[cfg(feature = "postgres")]
fn postgres(address: &Address, how: How) -> Opened {
    use legwork_store::postgres::Options;
    let options = match how {
        How::Grouped | How::Inline => Options::new(),
        How::ToRead => Options::new().read_only(),
    };
    Ok(Arc::new(options.open(address.as_str())?))
}

#[cfg(not(feature = "postgres"))]
fn postgres(address: &Address, _: How) -> Opened {
    off(address, "postgres")
}

#[cfg(feature = "redis")]
fn redis(address: &Address, how: How) -> Opened {
    use legwork_store::redis::Options;
    let options = match how {
        How::Grouped | How::Inline => Options::new(),
        How::ToRead => Options::new().read_only(),
    };
    Ok(Arc::new(options.open(address.as_str())?))
}

#[cfg(not(feature = "redis"))]
fn redis(address: &Address, _: How) -> Opened {
    off(address, "redis")
}

/// The error of a store whose feature is off.
#[cfg(not(all(feature = "sqlite", feature = "jsonl", feature = "postgres", feature = "redis")))]
fn off(address: &Address, feature: &str) -> Opened {
    Err(Error::Unusable { store: address.to_string(), reason: crate::error::feature(feature) })
}

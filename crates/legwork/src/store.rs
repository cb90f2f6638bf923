//! Stores by address: `sqlite:PATH`, `memory:`.

use std::sync::Arc;

use legwork_agent::Builder;
use legwork_agent::memory::MemoryStore;
use legwork_port::Store;
use legwork_port::store::Error;

/// Needs the feature `sqlite`.
#[cfg(feature = "sqlite")]
pub use legwork_store::sqlite;

#[cfg_attr(not(feature = "sqlite"), path = "store/none.rs")]
mod file;

/// Opens the store at an address.
///
/// `sqlite:PATH` is a file, created if it is missing, and needs the feature `sqlite`; `memory:` is
/// a new store in memory.
///
/// # Errors
/// If the address is not known, the store cannot be used, or its feature is off.
pub fn open(address: &str) -> Result<Arc<dyn Store>, Error> {
    open_by(address, file::grouped)
}

/// Opens the store at an address, for a program with one run at a time, such as a command.
///
/// The store writes on the thread that appends, which blocks while the disk works.
///
/// # Errors
/// As [`open`].
pub fn open_inline(address: &str) -> Result<Arc<dyn Store>, Error> {
    open_by(address, file::inline)
}

type Opened = Result<Arc<dyn Store>, Error>;

fn open_by(address: &str, file: fn(&str) -> Opened) -> Opened {
    match address.split_once(':') {
        Some(("sqlite", path)) if !path.is_empty() => file(path),
        Some(("memory", "")) => Ok(Arc::new(MemoryStore::new())),
        _ => Err(Error::Unusable {
            store: address.to_owned(),
            reason: "not the address of a store: use `sqlite:PATH` or `memory:`".to_owned(),
        }),
    }
}

/// A store, or the address of one.
pub trait IntoStore {
    /// Converts it into the store.
    ///
    /// # Errors
    /// As [`open`].
    fn into_store(self) -> Result<Arc<dyn Store>, Error>;
}

impl IntoStore for &str {
    fn into_store(self) -> Result<Arc<dyn Store>, Error> {
        open(self)
    }
}

impl IntoStore for String {
    fn into_store(self) -> Result<Arc<dyn Store>, Error> {
        open(&self)
    }
}

impl IntoStore for Arc<dyn Store> {
    fn into_store(self) -> Result<Arc<dyn Store>, Error> {
        Ok(self)
    }
}

/// Methods that this crate adds to the builder of an agent.
pub trait BuilderExt {
    /// Sets the store of sessions: an address such as `sqlite:clerk.db`, or a store.
    ///
    /// A store that cannot be opened is an error of building the agent.
    #[must_use]
    fn store(self, store: impl IntoStore) -> Self;
}

impl BuilderExt for Builder {
    fn store(self, store: impl IntoStore) -> Self {
        match store.into_store() {
            Ok(store) => self.store_in(store),
            Err(error) => self.problem(error.to_string()),
        }
    }
}

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
/// `sqlite:PATH` is a file, made if it is missing, and needs the feature `sqlite`; `memory:` lives as long as the process.
///
/// # Errors
/// When the address is none, the store cannot be used, or the feature that it needs is off.
pub fn open(address: &str) -> Result<Arc<dyn Store>, Error> {
    open_by(address, file::grouped)
}

/// The same for a program with one run at a time, as a command is: the store writes on the
/// thread that appends and wakes no other. While the disk works nothing else happens there.
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

/// What can be given as a store: an address, or a store.
pub trait IntoStore {
    /// The store.
    ///
    /// # Errors
    /// Why it cannot be used.
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

/// What the builder can do beside what the runtime knows.
pub trait BuilderExt {
    /// Where sessions live: an address such as `sqlite:clerk.db`, or a store.
    ///
    /// One that cannot be opened is reported when the agent is built.
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

//! Stores by address: `sqlite:PATH`, `jsonl:DIR`, `postgres://..`, `redis://..`, `memory:`.
//!
//! Each kind but the last needs the feature of its name.

mod address;
mod open;

use std::sync::Arc;

use legwork_agent::Builder;
use legwork_port::Store;
use legwork_port::store::Error;

pub use address::{Address, FORMS, Scheme};
/// Needs the feature `jsonl`.
#[cfg(feature = "jsonl")]
pub use legwork_store::jsonl;
/// Needs the feature `postgres`.
#[cfg(feature = "postgres")]
pub use legwork_store::postgres;
/// Needs the feature `redis`.
#[cfg(feature = "redis")]
pub use legwork_store::redis;
/// Needs the feature `sqlite`.
#[cfg(feature = "sqlite")]
pub use legwork_store::sqlite;

use open::How;

/// Opens the store at an address.
///
/// A file or directory is created if it is missing. A server is connected to when the store is
/// first used. `memory:` is a new store.
///
/// # Errors
/// If the address is not known, the store cannot be used, or its feature is off.
pub fn open(address: &str) -> Result<Arc<dyn Store>, Error> {
    open::open(&Address::parse(address)?, How::Grouped)
}

/// Opens the store at an address, for a program with one run at a time, such as a command.
///
/// A store of files writes on the thread that appends, which blocks while the disk works.
///
/// # Errors
/// As [`open`].
pub fn open_inline(address: &str) -> Result<Arc<dyn Store>, Error> {
    open::open(&Address::parse(address)?, How::Inline)
}

/// Opens the store at an address to read; nothing is created, and writing is refused.
///
/// # Errors
/// As [`open`], and if there is no such file or directory.
pub fn open_to_read(address: &str) -> Result<Arc<dyn Store>, Error> {
    open::open(&Address::parse(address)?, How::ToRead)
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

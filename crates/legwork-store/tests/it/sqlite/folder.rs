//! Folders for stores, and their files as SQLite sees them.

use std::path::{Path, PathBuf};

use legwork_store::sqlite::Store;
use rusqlite::Connection;

/// A folder that goes away with the test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn db(&self) -> PathBuf {
        self.path().join("store.db")
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(self.db()).unwrap()
    }

    /// The file as any SQLite program sees it.
    pub(crate) fn sqlite(&self) -> Connection {
        Connection::open(self.db()).unwrap()
    }
}

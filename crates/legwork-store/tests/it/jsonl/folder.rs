//! Folders for stores, and the files in them as other programs see them.

use std::fs;
use std::path::{Path, PathBuf};

use legwork_core::SessionId;
use legwork_store::jsonl::Store;

/// A folder that goes away with the test, with a store in it.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// The same in memory where the system has such a place, for tests that sync often.
    pub(crate) fn in_memory() -> Self {
        let made = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self(made.unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The folder of the store.
    pub(crate) fn root(&self) -> PathBuf {
        self.path().join("store")
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(self.root()).unwrap()
    }

    /// The folder of a session whose id is plain.
    pub(crate) fn session(&self, id: &str) -> PathBuf {
        self.root().join("sessions").join(id)
    }

    pub(crate) fn journal(&self, id: &str) -> PathBuf {
        self.session(id).join("journal.jsonl")
    }

    pub(crate) fn inbox(&self, id: &str) -> PathBuf {
        self.session(id).join("inbox.jsonl")
    }
}

/// The name of a session's folder, however it is spelled: the only one with a digest or this id.
pub(crate) fn folder_of(root: &Path, session: &SessionId) -> PathBuf {
    let mut name = String::new();
    for byte in session.as_str().bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => name.push(char::from(byte)),
            byte => name.push_str(&format!("%{byte:02x}")),
        }
    }
    root.join("sessions").join(name)
}

/// All files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

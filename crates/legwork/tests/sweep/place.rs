//! Where one case happens: a store of its own, and what its effects changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use legwork::port::Store;
use tempfile::TempDir;

use crate::kind::Kind;
use crate::server::Server;

/// A store that only one case uses, and the folder of its world.
#[derive(Debug)]
pub(crate) struct Place {
    folder: TempDir,
    address: String,
}

impl Place {
    /// A new place; a kind that is a server's is on that server.
    pub(crate) fn new(kind: Kind, server: Option<&Server>) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = tempfile::tempdir().unwrap();
        let within = |name: &str| folder.path().join(name).display().to_string();
        let url = || server.unwrap().url();
        let address = match kind {
            Kind::Sqlite => format!("sqlite:{}", within("store.db")),
            Kind::Jsonl => format!("jsonl:{}", within("store")),
            Kind::Postgres => format!("{}?schema=case_{number}", url()),
            Kind::Redis => format!("{}?prefix=case_{number}", url()),
        };
        Self { folder, address }
    }

    /// The address of its store.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The folder that a store of files is in.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The file of the effects.
    pub(crate) fn effects(&self) -> PathBuf {
        self.folder.path().join("effects")
    }

    /// Its store, opened as any program does.
    pub(crate) fn open(&self) -> Result<Arc<dyn Store>, String> {
        legwork::store::open(&self.address).map_err(|error| error.to_string())
    }
}

//! Secrets in what commands may only read: they are hidden.

use std::path::{Path, PathBuf};

use super::system::Seen;

/// Secrets in places that are seen and cannot be written, be they there yet or not.
#[derive(Debug)]
pub(in crate::sandbox) struct Masked {
    secrets: Vec<PathBuf>,
    /// The places that are seen.
    seen: Vec<PathBuf>,
}

impl Masked {
    /// Those of some secrets that are seen in the system or in what may be read.
    pub(super) fn new(secrets: Vec<PathBuf>, system: &[Seen], readable: &[PathBuf]) -> Self {
        let of_system = system.iter().filter_map(Seen::source).map(Path::to_owned);
        let seen: Vec<_> = of_system.chain(readable.iter().cloned()).collect();
        let is_seen = |secret: &PathBuf| seen.iter().any(|seen| secret.starts_with(seen));
        let secrets = secrets.into_iter().filter(is_seen).collect();
        Self { secrets, seen }
    }

    /// All of them, be they there or not.
    pub(super) fn all(&self) -> impl Iterator<Item = &Path> {
        self.secrets.iter().map(PathBuf::as_path)
    }

    /// Those that are there now, an outer one first.
    pub(in crate::sandbox) fn now(&self) -> Vec<PathBuf> {
        // One may be a link by now.
        let there = self.secrets.iter().filter_map(|secret| secret.canonicalize().ok());
        let is_seen = |secret: &PathBuf| self.seen.iter().any(|seen| secret.starts_with(seen));
        let mut there: Vec<_> = there.filter(is_seen).collect();
        there.sort();
        there.dedup();
        there
    }
}

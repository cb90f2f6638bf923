//! What is secret in one tree: asked for each of its directories and files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::Stat;

use super::{Secrets, is_there};

/// What is secret in a directory and beneath it, by paths relative to it.
///
/// What is the same for all its files is found out once: which places lie there, and which
/// files the store has by now.
#[derive(Debug)]
pub(crate) struct Below {
    /// Where the files of the store lie: no path that is allowed opens them.
    kept_out: Places,
    places: Places,
    open: Places,
    /// The files of the store as they were from the start, by device and inode.
    store: HashSet<(u64, u64)>,
    secrets: Arc<Secrets>,
}

impl Below {
    /// What of the secrets lies in a directory whose symlinks are resolved.
    pub(crate) fn new(secrets: &Arc<Secrets>, root: &Path) -> Self {
        Self {
            kept_out: Places::below(root, secrets.kept_out.places()),
            places: Places::below(root, secrets.places().chain(secrets.absent())),
            open: Places::below(root, secrets.open.iter().map(PathBuf::as_path)),
            store: secrets.kept_out.now().collect(),
            secrets: Arc::clone(secrets),
        }
    }

    /// Whether a path, whose symlinks are resolved, is one of them or lies in one.
    pub(crate) fn hold(&self, path: &Path) -> bool {
        self.kept_out.hold(path) || (self.places.hold(path) && !self.open.hold(path))
    }

    /// Whether a file is one of them by another name.
    pub(crate) fn are(&self, stat: &Stat) -> bool {
        is_there(&self.secrets.identities, stat) || self.are_of_store(stat)
    }

    /// Whether a file is one of the store.
    ///
    /// One that was there from the start is known wherever it is now. One that came later can
    /// only have further names: for these it is looked at anew.
    pub(crate) fn are_of_store(&self, stat: &Stat) -> bool {
        self.store.contains(&(stat.st_dev, stat.st_ino))
            || (stat.st_nlink > 1 && self.secrets.kept_out.are(stat))
    }
}

/// Places with all that lies in them.
#[derive(Debug, Default)]
struct Places {
    /// One is the directory itself, or above it.
    whole: bool,
    /// Those beneath it, relative to it.
    beneath: HashSet<PathBuf>,
}

impl Places {
    fn below<'a>(root: &Path, all: impl Iterator<Item = &'a Path>) -> Self {
        let mut places = Self::default();
        for place in all {
            if root.starts_with(place) {
                places.whole = true;
            } else if let Ok(beneath) = place.strip_prefix(root) {
                places.beneath.insert(beneath.to_owned());
            }
        }
        places
    }

    fn hold(&self, path: &Path) -> bool {
        let one = |above: &Path| self.beneath.contains(above);
        self.whole || (!self.beneath.is_empty() && path.ancestors().any(one))
    }
}

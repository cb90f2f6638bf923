//! Folders as the kernel resolves them, each asked for once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The real paths of folders, remembered while many places in them are looked at.
#[derive(Default)]
pub(super) struct Folders(HashMap<PathBuf, Option<PathBuf>>);

impl Folders {
    /// The real path of a folder; none if it is not there.
    pub(super) fn real(&mut self, folder: &Path) -> Option<PathBuf> {
        if let Some(known) = self.0.get(folder) {
            return known.clone();
        }
        // What is not there has nothing in it.
        let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
        let may_be_there = above.is_none_or(|above| self.real(above).is_some());
        let real = may_be_there.then(|| folder.canonicalize().ok()).flatten();
        self.0.insert(folder.to_owned(), real.clone());
        real
    }

    /// The path of a place, itself and not where it leads to: links above it are resolved as
    /// far as they are there.
    pub(super) fn named(&mut self, place: &Path) -> Option<PathBuf> {
        let mut above = place.ancestors().skip(1);
        let (real, above) = above.find_map(|above| self.real(above).zip(Some(above)))?;
        Some(real.join(place.strip_prefix(above).ok()?))
    }
}

#[cfg(test)]
mod tests;

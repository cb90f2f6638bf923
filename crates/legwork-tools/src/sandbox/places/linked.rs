//! Other names of secrets: hard links in what commands see.

use std::collections::{BTreeSet, HashSet};
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::PathBuf;

use crate::sandbox::error::Error;

/// Most files that are looked through.
const MOST: usize = 1_000_000;

/// The names of some files, by device and inode, below some directories.
///
/// # Errors
/// [`Error::Linked`] where more lies there than is looked through.
pub(super) fn names(
    files: &BTreeSet<(u64, u64)>,
    below: impl Iterator<Item = PathBuf>,
) -> Result<Vec<PathBuf>, Error> {
    let mut names = Vec::new();
    let inodes: HashSet<u64> = files.iter().map(|(_, inode)| *inode).collect();
    // Most secrets have one name, and then nothing is looked through.
    let mut waiting: Vec<_> = if files.is_empty() { Vec::new() } else { below.collect() };
    let mut seen = 0_usize;
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen = seen.saturating_add(1);
            if seen > MOST {
                return Err(Error::Linked { folder });
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
                Ok(kind) if kind.is_file() => {
                    let is = |found: std::fs::Metadata| files.contains(&(found.dev(), found.ino()));
                    if inodes.contains(&entry.ino()) && entry.metadata().is_ok_and(is) {
                        names.push(entry.path());
                    }
                }
                _ => {}
            }
        }
    }
    Ok(names)
}

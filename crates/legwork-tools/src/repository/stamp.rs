//! Which file has a path, and in which state.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::SystemTime;

/// Which file or folder has a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id {
    device: u64,
    inode: u64,
    /// Numbers of files are used again.
    created: Option<SystemTime>,
}

impl Id {
    pub(super) fn of(path: &Path) -> Option<Self> {
        let found = path.symlink_metadata().ok()?;
        Some(Self { device: found.dev(), inode: found.ino(), created: found.created().ok() })
    }
}

/// Which file has a path, and what changes when that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    id: Id,
    mode: u32,
    size: u64,
    /// Since the epoch, in seconds and nanoseconds.
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    pub(super) fn of(path: &Path) -> Option<Self> {
        let found = path.symlink_metadata().ok()?;
        Some(Self {
            id: Id { device: found.dev(), inode: found.ino(), created: found.created().ok() },
            mode: found.mode(),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }
}

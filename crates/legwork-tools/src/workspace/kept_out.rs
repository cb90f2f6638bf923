//! Files that no tool of this process opens: those of the store that it writes.
//!
//! SQLite locks its files by POSIX locks, which belong to the process: a process that opens such a file
//! and closes it again takes away all of them, and a second process writes at the same time.
//! So a file is looked at before it is opened, and those of the store are known by device and
//! inode, not by name. One that a search opened all the same, because it took the place of
//! another meanwhile, is never closed.

use std::ffi::OsString;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, Stat, lstat};
use rustix::io::Errno;

/// Suffixes of the files that SQLite puts next to a database.
const SUFFIXES: [&str; 3] = ["-wal", "-shm", "-journal"];
/// Where the claims of its sessions lie.
const CLAIMS: &str = "-claims";

/// The files of stores; they may come and go.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptOut {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl KeptOut {
    /// The same with the files of a store, be they there yet or not.
    pub(crate) fn with_store(mut self, path: &Path) -> Self {
        let path = real(path);
        let sibling = |suffix: &str| {
            let mut name = OsString::from(&path);
            name.push(suffix);
            PathBuf::from(name)
        };
        self.files.extend(SUFFIXES.map(sibling));
        self.folders.push(sibling(CLAIMS));
        self.files.push(path);
        self
    }

    /// Whether a path, whose symlinks are resolved, is one of them or lies in one.
    pub(crate) fn hold(&self, real: &Path) -> bool {
        self.places().any(|place| real.starts_with(place))
    }

    /// Where they lie, and what folders are theirs.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().chain(&self.folders).map(PathBuf::as_path)
    }

    /// Whether a file is one of them, by any name.
    pub(crate) fn are(&self, stat: &Stat) -> bool {
        self.now().any(|identity| identity == (stat.st_dev, stat.st_ino))
    }

    /// Those that are there now, by device and inode.
    pub(crate) fn now(&self) -> impl Iterator<Item = (u64, u64)> {
        let there = |file: &PathBuf| lstat(file).ok().map(|stat| (stat.st_dev, stat.st_ino));
        self.files.iter().filter_map(there)
    }
}

/// The path with its symlinks resolved, as far as it is there.
fn real(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let above = || Some(whole.parent()?.canonicalize().ok()?.join(whole.file_name()?));
    whole.canonicalize().ok().or_else(above).unwrap_or(whole)
}

/// Opens for reading the very file that was looked at by `O_PATH`.
///
/// By its name it could be another one by now.
pub(crate) fn reopened(seen: &OwnedFd) -> Result<OwnedFd, Errno> {
    // Non-blocking, though it was seen to be a regular file.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    rustix::fs::open(format!("/proc/self/fd/{}", seen.as_raw_fd()), flags, Mode::empty())
}

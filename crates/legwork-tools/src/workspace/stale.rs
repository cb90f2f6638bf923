//! Drafts that a killed process left behind.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::{Mutex, PoisonError};

use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, StatxFlags, flock, openat, statat, statx,
    unlinkat,
};
use rustix::io::Errno;

use super::draft::is_draft;

/// Most names of a directory that are looked at.
const NAMES_MAX: usize = 100_000;

/// A directory: its device, its inode, and when that was made, since inodes are used again.
type Identity = (u32, u32, u64, i64, u32);

/// The directories that this process has swept.
static SWEPT: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

/// Removes the stale drafts of a directory, once in the life of this process.
///
/// A draft is stale when no process holds its lock: unlike a process id in its name, that
/// holds across containers and cannot be taken by another process later.
pub(super) fn sweep(directory: &OwnedFd) {
    let Ok(identity) = identity(directory) else { return };
    if SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(identity) {
        // What cannot be removed stays: it does no harm.
        let _ = sweep_now(directory);
    }
}

fn identity(directory: &OwnedFd) -> Result<Identity, Errno> {
    let found = statx(directory, "", AtFlags::EMPTY_PATH, StatxFlags::INO | StatxFlags::BTIME)?;
    let made = found.stx_btime;
    Ok((found.stx_dev_major, found.stx_dev_minor, found.stx_ino, made.tv_sec, made.tv_nsec))
}

/// Removes the stale drafts of a directory.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn sweep_now(directory: &OwnedFd) -> Result<(), Errno> {
    for entry in Dir::read_from(directory)?.take(NAMES_MAX) {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if is_draft(name) {
            let _ = remove(directory, OsStr::from_bytes(name));
        }
    }
    Ok(())
}

fn remove(directory: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
    let found = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    // One with further names is none of ours: it may be of the store, and is not opened.
    let ours = found.st_uid == rustix::process::geteuid().as_raw() && found.st_nlink == 1;
    if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile || !ours {
        return Ok(());
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(directory, name, flags, Mode::empty())?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    unlinkat(directory, name, AtFlags::empty())
}

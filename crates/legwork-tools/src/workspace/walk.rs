//! Opening step by step, where the kernel cannot confine a path in one call.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use rustix::fs::{Dir, Mode, OFlags, openat};
use rustix::io::Errno;

use super::draft::is_draft;

/// Opens `relative` below `root` after resolving its symlinks ourselves.
///
/// The resolved path has no symlink left, so each part is opened without
/// following one: what was swapped in since the check is refused.
///
/// # Errors
/// `XDEV` when the path ends outside the root; else what the kernel said.
pub(super) fn open(
    handle: &OwnedFd,
    root: &Path,
    relative: &Path,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    let full = root
        .join(relative)
        .canonicalize()
        .map_err(|error| error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error))?;
    let inner = full.strip_prefix(root).map_err(|_| Errno::XDEV)?;
    let parts: Vec<&OsStr> = inner
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name),
            _ => None,
        })
        .collect();
    let Some((last, parents)) = parts.split_last() else {
        return step(handle.as_fd(), OsStr::new("."), flags);
    };
    let mut held: Option<OwnedFd> = None;
    for parent in parents {
        let from = held.as_ref().map_or(handle.as_fd(), AsFd::as_fd);
        held = Some(step(from, parent, OFlags::PATH | OFlags::DIRECTORY)?);
    }
    step(held.as_ref().map_or(handle.as_fd(), AsFd::as_fd), last, flags)
}

fn step(from: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
    openat(from, name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
}

/// Up to `limit` names of an opened directory, sorted.
pub(super) fn names(directory: OwnedFd, limit: usize) -> Result<Vec<OsString>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::new(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." || is_draft(name) {
            continue;
        }
        names.push(OsStr::from_bytes(name).to_owned());
        if names.len() == limit {
            break;
        }
    }
    names.sort();
    Ok(names)
}

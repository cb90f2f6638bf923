//! Opening step by step, where the kernel cannot confine a path in one call.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use rustix::fs::{Dir, Mode, OFlags, openat, readlinkat};
use rustix::io::Errno;

use super::draft::is_draft;

/// How many symlinks are followed, as the kernel does (`MAXSYMLINKS`).
const LINKS_MAX: usize = 40;
/// Most bytes of a path (`PATH_MAX`, less its NUL).
const PATH_MAX: usize = 4095;

/// Opens `relative` beneath an opened root part by part, as `openat2` does in one call.
///
/// Symlinks are read, never followed by the kernel: what is swapped in is refused.
///
/// # Errors
/// `XDEV` when the path, or a symlink on the way, leads out; else what the kernel said.
pub(super) fn beneath(root: &OwnedFd, relative: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    if relative.as_os_str().len() > PATH_MAX {
        return Err(Errno::NAMETOOLONG);
    }
    let mut above: Vec<OwnedFd> = Vec::new();
    let mut waiting = parts(relative);
    let mut links = 0_usize;
    while let Some(part) = waiting.pop() {
        if part == ".." {
            above.pop().ok_or(Errno::XDEV)?;
            continue;
        }
        let from = above.last().unwrap_or(root).as_fd();
        match readlinkat(from, &part, Vec::new()) {
            Ok(_) if links == LINKS_MAX => return Err(Errno::LOOP),
            Ok(target) if target.as_bytes().starts_with(b"/") => return Err(Errno::XDEV),
            Ok(target) => {
                links = links.saturating_add(1);
                waiting.extend(parts(Path::new(OsStr::from_bytes(target.as_bytes()))));
            }
            Err(Errno::INVAL) if waiting.is_empty() => return step(from, &part, flags),
            Err(Errno::INVAL) => above.push(step(from, &part, OFlags::PATH | OFlags::DIRECTORY)?),
            Err(errno) => return Err(errno),
        }
    }
    step(above.last().unwrap_or(root).as_fd(), OsStr::new("."), flags)
}

/// The parts of a relative path, the first one last.
fn parts(path: &Path) -> Vec<OsString> {
    let named = path.components().rev().filter(|part| *part != Component::CurDir);
    named.map(|part| part.as_os_str().to_owned()).collect()
}

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

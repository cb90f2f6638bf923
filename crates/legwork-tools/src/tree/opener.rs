//! Opens the files of a tree, one after the other.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{IntoRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, statat};

use super::{Regular, Tree};
use crate::workspace::reopened;

/// Files that are opened from one handle of a directory, at most: it may be moved meanwhile.
const NEIGHBOURS: usize = 32;

/// Files of the store that took the place of others and stay open, at most in this process.
const KEPT_MAX: usize = 16;

/// How many there are.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// Opens files of a tree; neighbours from the directory that they share.
#[derive(Debug)]
pub(crate) struct Opener<'a> {
    tree: &'a Tree,
    /// The directory of the last file.
    at: Option<Directory>,
}

#[derive(Debug)]
struct Directory {
    path: PathBuf,
    handle: OwnedFd,
    /// How many files are still opened from the handle.
    left: usize,
}

impl<'a> Opener<'a> {
    pub(crate) fn new(tree: &'a Tree) -> Self {
        Self { tree, at: None }
    }

    /// A regular file; none when the path is something else by now.
    pub(crate) fn file(&mut self, path: &Path) -> io::Result<Option<Regular>> {
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        let above = path.parent().unwrap_or(path);
        if let Some(at) = self.at.as_mut().filter(|at| at.path == above && at.left > 0) {
            at.left = at.left.saturating_sub(1);
            match open(self.tree, path, &at.handle, name) {
                // Another directory may have taken the place of this one.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                opened => return opened,
            }
        }
        let handle = self.tree.handle(above)?;
        let at = Directory { path: above.to_owned(), handle, left: NEIGHBOURS };
        open(self.tree, path, &self.at.insert(at).handle, name)
    }
}

/// Looks at a name before it is opened: to open a pipe or a device may have effects, and a
/// file of the store is never to be closed.
fn open(tree: &Tree, path: &Path, above: &OwnedFd, name: &OsStr) -> io::Result<Option<Regular>> {
    if !admits(tree, path, &statat(above, name, AtFlags::SYMLINK_NOFOLLOW)?)? {
        return Ok(None);
    }
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if KEPT.load(Ordering::Relaxed) >= KEPT_MAX {
        // Names are being swapped: this is slower, so that nothing is opened before it is known.
        let seen = openat(above, name, flags | OFlags::PATH, Mode::empty())?;
        return match admits(tree, path, &fstat(&seen)?)? {
            true => opened(tree, path, File::from(reopened(&seen)?)),
            false => Ok(None),
        };
    }
    // Non-blocking, though it was seen to be a regular file.
    let flags = flags | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    opened(tree, path, File::from(openat(above, name, flags, Mode::empty())?))
}

/// A file that was opened; by its name it can be another one than was looked at.
pub(super) fn opened(tree: &Tree, path: &Path, file: File) -> io::Result<Option<Regular>> {
    let stat = match fstat(&file) {
        Ok(stat) if !tree.secret.are_of_store(&stat) => stat,
        kept => {
            // To close a file of the store would take away the locks on it.
            let _: i32 = file.into_raw_fd();
            KEPT.fetch_add(1, Ordering::Relaxed);
            return Err(
                kept.map_or_else(io::Error::from, |_| io::ErrorKind::PermissionDenied.into())
            );
        }
    };
    let bytes = u64::try_from(stat.st_size).unwrap_or(0);
    Ok(admits(tree, path, &stat)?.then_some(Regular { file, bytes }))
}

/// Whether it is a regular file.
///
/// # Errors
/// When it is one that no tool opens.
fn admits(tree: &Tree, path: &Path, stat: &Stat) -> io::Result<bool> {
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(false);
    }
    match tree.hides(path, stat) {
        true => Err(io::ErrorKind::PermissionDenied.into()),
        false => Ok(true),
    }
}

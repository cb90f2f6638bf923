//! Opens the files of a tree, one after the other.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{IntoRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, statat};

use super::{Regular, Tree};

/// Opens files of a tree; neighbours from the directory that they share.
#[derive(Debug)]
pub(crate) struct Opener<'a> {
    tree: &'a Tree,
    /// The directory of the last file.
    at: Option<(PathBuf, OwnedFd)>,
}

impl<'a> Opener<'a> {
    pub(crate) fn new(tree: &'a Tree) -> Self {
        Self { tree, at: None }
    }

    /// A regular file; none when the path is something else by now.
    pub(crate) fn file(&mut self, path: &Path) -> io::Result<Option<Regular>> {
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        let above = path.parent().unwrap_or(path);
        let at = match self.at.take() {
            Some(at) if at.0 == above => at,
            _ => (above.to_owned(), self.tree.handle(above)?),
        };
        let (_, above) = self.at.insert(at);
        open(self.tree, path, above, name)
    }
}

/// Looks at a name before it is opened: to open a pipe or a device may have effects, and a
/// file of the store is never to be closed.
fn open(tree: &Tree, path: &Path, above: &OwnedFd, name: &OsStr) -> io::Result<Option<Regular>> {
    if !admits(tree, path, &statat(above, name, AtFlags::SYMLINK_NOFOLLOW)?)? {
        return Ok(None);
    }
    // Non-blocking, though it was seen to be a regular file.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    opened(tree, path, File::from(openat(above, name, flags, Mode::empty())?))
}

/// A file that was opened; by its name it can be another one than was looked at.
pub(super) fn opened(tree: &Tree, path: &Path, file: File) -> io::Result<Option<Regular>> {
    let stat = fstat(&file)?;
    match admits(tree, path, &stat) {
        Ok(true) => Ok(Some(Regular { file, bytes: u64::try_from(stat.st_size).unwrap_or(0) })),
        Ok(false) => Ok(None),
        Err(secret) => {
            // If it is a file of the store, to close it would take away the locks on it.
            let _: i32 = file.into_raw_fd();
            Err(secret)
        }
    }
}

/// Whether it is a regular file.
///
/// # Errors
/// When it is one that no tool opens.
fn admits(tree: &Tree, path: &Path, stat: &Stat) -> io::Result<bool> {
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(false);
    }
    match tree.secret.hold(path) || tree.secret.are(stat) {
        true => Err(io::ErrorKind::PermissionDenied.into()),
        false => Ok(true),
    }
}

//! The kinds of a store's files, checked before any is opened.
//!
//! They are never opened for that: closing such a file would release the locks that SQLite
//! holds on it in this process (POSIX locks belong to the process, not to the open file).

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use legwork_port::store::Error;

use super::fault::Name;
use super::sibling;

/// Suffixes of the files that SQLite puts next to the database.
const SUFFIXES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Refuses a store that is a pipe, a device, a folder or a socket, or has one of these or a
/// link next to it: opening it may block for ever, or write to another file.
///
/// # Errors
/// [`Error::Unusable`].
pub(super) fn check(name: &Name, path: &Path) -> Result<(), Error> {
    look(name, path, "it")?;
    SUFFIXES.iter().try_for_each(|suffix| {
        let path = sibling(path, suffix);
        look(name, &path, &format!("{} next to it", path.display()))
    })
}

fn look(name: &Name, path: &Path, shown: &str) -> Result<(), Error> {
    match path.symlink_metadata() {
        Ok(found) => match odd(&found) {
            None => Ok(()),
            Some(kind) => Err(name.unusable(format!(
                "{shown} is {kind}, not a regular file; name another file, or take it away"
            ))),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(name.unusable(format!("{shown} cannot be looked at: {error}"))),
    }
}

/// Its kind, if it is not a regular file.
fn odd(found: &Metadata) -> Option<&'static str> {
    let kind = found.file_type();
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a folder"),
        () if kind.is_symlink() => Some("a symbolic link"),
        () => Some("a pipe, a socket or a device"),
    }
}

/// Refuses a file that is not regular or has several names; a missing one may be created.
pub(super) fn check_lock(path: &Path) -> io::Result<()> {
    let wrong = |what: &str| io::Error::other(format!("{} is {what}", path.display()));
    match fs::symlink_metadata(path) {
        Ok(found) => match odd(&found) {
            Some(kind) => Err(wrong(&format!("{kind}, not a regular file"))),
            None if has_other_names(&found) => Err(wrong("a file that has other names too")),
            None => Ok(()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Refuses a folder of locks that is not a folder.
pub(super) fn check_folder(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(io::Error::other(format!("{} is not a folder", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn has_other_names(found: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(found) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

//! The kinds of a store's files, checked before any is opened.
//!
//! They are never opened for that: closing such a file would release the locks that SQLite
//! holds on it in this process (POSIX locks belong to the process, not to the open file).

use std::io;
use std::path::Path;

use legwork_port::store::Error;

use super::sibling;
use crate::name::Name;
use crate::private::odd;

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

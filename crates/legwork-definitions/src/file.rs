//! A file read whole, within limits.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use legwork_core::digest::Digest;

use crate::problem::Problem;
use crate::syntax::{MAX_BYTES, small_enough};

/// What to do about a path that is a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// Read what it points to: a person named it.
    Follow,
    /// Refuse it: it was found in a folder, which a stranger may have filled.
    Refuse,
}

/// The text of a regular file.
pub(crate) fn read(path: &Path, links: Links) -> Result<String, Problem> {
    read_as(path, links, None)
}

/// The text of a regular file whose content has the expected digest.
pub(crate) fn read_as(
    path: &Path,
    links: Links,
    content: Option<&Digest>,
) -> Result<String, Problem> {
    let bytes = read_bytes(path, links)?;
    if content.is_some_and(|content| *content != Digest::of_bytes(&bytes)) {
        return Err(Problem::new("it was changed while it was read", "try again"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..valid).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        Problem::new("it is not UTF-8", "save it as UTF-8").on_line(Some(line))
    })
}

fn read_bytes(path: &Path, links: Links) -> Result<Vec<u8>, Problem> {
    let file = open(path, links)?;
    let mut bytes = Vec::new();
    // One byte more tells a file that is too large from one that just fits.
    let most = MAX_BYTES as u64 + 1;
    file.take(most).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    small_enough(bytes.len())?;
    Ok(bytes)
}

/// Opens a regular file.
pub(crate) fn open(path: &Path, links: Links) -> Result<File, Problem> {
    // Before it is opened: a pipe would wait for a writer.
    let found = match links {
        Links::Follow => fs::metadata(path),
        Links::Refuse => fs::symlink_metadata(path),
    };
    let found = found.map_err(|error| unreadable(&error))?;
    regular(&found)?;
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let opened = file.metadata().map_err(|error| unreadable(&error))?;
    regular(&opened)?;
    if !same(&found, &opened) {
        return Err(Problem::new("it was replaced while it was opened", "try again"));
    }
    Ok(file)
}

fn regular(found: &Metadata) -> Result<(), Problem> {
    let (what, mend) = match found.file_type() {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_symlink() => return Err(link()),
        kind if kind.is_dir() => ("a folder", "give the folder another name, or take it out"),
        _ => ("no regular file", "replace it by a file"),
    };
    Err(Problem::new(format!("it is {what}"), mend))
}

/// The problem of a link that nobody named.
pub(crate) fn link() -> Problem {
    let mend = "replace it by what it points to, or name that itself";
    Problem::new("it is a symbolic link, which is not followed", mend)
}

/// The problem of a file or folder that cannot be read.
pub(crate) fn unreadable(error: &io::Error) -> Problem {
    let mend = match error.kind() {
        io::ErrorKind::NotFound => "write the path of a file or folder that is there",
        io::ErrorKind::PermissionDenied => "allow it to be read, or take it out",
        _ => "see whether it can be opened otherwise",
    };
    Problem::new(format!("it cannot be read: {error}"), mend)
}

#[cfg(unix)]
fn same(found: &Metadata, opened: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino()) == (opened.dev(), opened.ino())
}

#[cfg(not(unix))]
fn same(_: &Metadata, _: &Metadata) -> bool {
    true
}

//! A file of settings, read as carefully as something that a stranger left there.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

use super::document::Whose;
use super::locate::shown;
use crate::error::Error;
use crate::trust::file::{Content, Skipped};

/// A file of settings that is larger is none.
const MOST_BYTES: u64 = 1 << 20;

/// Opens a file to read it; a pipe without a writer does not keep it waiting.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

/// The text of a file of settings; none if it is not there.
///
/// # Errors
/// When it is there and is no file of text of a sensible size that may be read, or when it
/// is the user's and somebody else may have written it.
pub(super) fn text(path: &Path, whose: Whose) -> Result<Option<String>, Error> {
    let bytes = match read(path, whose) {
        Ok(bytes) => bytes,
        Err(Problem::Io(error)) if is_missing(&error) => return Ok(None),
        Err(problem) => return Err(unreadable(path, &problem)),
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(unreadable(path, &Problem::NoText)),
    }
}

/// The text of a project's file, from the content that was checked for trust.
///
/// # Errors
/// As [`text`].
pub(super) fn text_of(
    path: &Path,
    read: &Result<Option<Content>, Skipped>,
) -> Result<Option<String>, Error> {
    let content = match read {
        Ok(None) => return Ok(None),
        Ok(Some(content)) if content.length <= MOST_BYTES => content,
        Ok(Some(_)) => return Err(unreadable(path, &Problem::TooLarge)),
        Err(Skipped::NoFile(_)) => return Err(unreadable(path, &Problem::NoFile)),
        Err(why) => return Err(unreadable(path, &Problem::Skipped(why.clone()))),
    };
    match String::from_utf8(content.bytes.clone()) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(unreadable(path, &Problem::NoText)),
    }
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("{0}")]
    Skipped(Skipped),
    #[error("{0}")]
    Io(io::Error),
    #[error("it is not a regular file")]
    NoFile,
    #[error("it is larger than 1 MB")]
    TooLarge,
    #[error("it is no UTF-8 text")]
    NoText,
    #[error("it may name programs to run, but everybody may write to it")]
    Writable,
    #[error("it may name programs to run, but it belongs to another user")]
    Foreign,
}

fn read(path: &Path, whose: Whose) -> Result<Vec<u8>, Problem> {
    let file = open(path).map_err(Problem::Io)?;
    let facts = file.metadata().map_err(Problem::Io)?;
    if path == Path::new("/dev/null") {
        return Ok(Vec::new());
    }
    if !facts.is_file() {
        return Err(Problem::NoFile);
    }
    if whose != Whose::Project {
        safe(&facts)?;
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(Problem::Io)?;
    match u64::try_from(bytes.len()).is_ok_and(|size| size <= MOST_BYTES) {
        true => Ok(bytes),
        false => Err(Problem::TooLarge),
    }
}

/// Whether nobody but the user, and the administrator, can have written it.
fn safe(facts: &Metadata) -> Result<(), Problem> {
    let me = rustix::process::geteuid();
    // In a container all of a person's files may belong to somebody else than its root.
    if !me.is_root() && ![me.as_raw(), 0].contains(&facts.uid()) {
        return Err(Problem::Foreign);
    }
    match facts.mode() & 0o002 {
        0 => Ok(()),
        _ => Err(Problem::Writable),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn unreadable(path: &Path, problem: &Problem) -> Error {
    Error::usage(
        format!("the settings in {} cannot be read: {problem}", shown(path)),
        "set it right, or name another file of settings with --config PATH; \
         `legwork config path` says which files are looked at",
    )
}

//! A task from a file.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use super::{MOST, text};
use crate::error::Error;
use crate::shell::quoted;

/// The text of a file.
pub(super) fn read(path: &Path) -> Result<String, Error> {
    let hints = Hints {
        missing: "to give a task that begins with @, write @@",
        irregular: format!("pipe it in: legwork run - < {}", quoted(&path.to_string_lossy())),
    };
    let bytes = bytes(path, MOST, &hints)?;
    if bytes.is_empty() {
        return Err(Error::usage(format!("{} is empty", path.display()), super::HINT));
    }
    text(bytes, &path.display().to_string())
}

/// The text of a regular file that is not empty; `why` says what is to be named.
pub(crate) fn regular_text(path: &Path, why: &'static str) -> Result<String, Error> {
    let hints = Hints { missing: why, irregular: why.to_owned() };
    text(bytes(path, MOST, &hints)?, &path.display().to_string())
}

/// What to do where a file cannot be read.
pub(super) struct Hints {
    /// Where there is none.
    pub(super) missing: &'static str,
    /// Where it is a pipe, a socket or a device.
    pub(super) irregular: String,
}

/// The bytes of a regular file, one more than `most` where it has more.
///
/// # Errors
/// When it cannot be read, with one of the hints.
pub(super) fn bytes(path: &Path, most: usize, hints: &Hints) -> Result<Vec<u8>, Error> {
    let refuse = |source: io::Error, hint: &str| {
        Error::usage(format!("cannot read {}: {source}", path.display()), hint)
    };
    // Looked at before it is opened: to open a pipe waits until somebody writes to it.
    let kind = fs::metadata(path).map_err(|source| refuse(source, hints.missing))?.file_type();
    if kind.is_dir() {
        let message = format!("{} is a directory", path.display());
        return Err(Error::usage(message, "name a file"));
    }
    if !kind.is_file() {
        let message = format!("{} is not a regular file", path.display());
        return Err(Error::usage(message, hints.irregular.clone()));
    }
    let file = File::open(path).map_err(|source| refuse(source, "check its permissions"))?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|source| refuse(source, "see whether the file can be read"))?;
    Ok(bytes)
}

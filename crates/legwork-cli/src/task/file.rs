//! A task from a file.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use super::{MOST, text};
use crate::error::Error;
use crate::place::quoted;

/// The text of a file.
pub(super) fn read(path: &Path) -> Result<String, Error> {
    let bytes = bytes(path, MOST, "to give a task that begins with @, write @@")?;
    if bytes.is_empty() {
        return Err(Error::usage(format!("{} is empty", path.display()), super::HINT));
    }
    text(bytes, &path.display().to_string())
}

/// The bytes of a regular file, one more than `most` where it has more.
///
/// `hint` says what to do where there is no such file.
pub(super) fn bytes(path: &Path, most: usize, hint: &str) -> Result<Vec<u8>, Error> {
    let refuse = |source: io::Error, hint: &str| {
        Error::usage(format!("cannot read {}: {source}", path.display()), hint)
    };
    // Looked at before it is opened: to open a pipe waits until somebody writes to it.
    let kind = fs::metadata(path).map_err(|source| refuse(source, hint))?.file_type();
    if kind.is_dir() {
        let message = format!("{} is a directory", path.display());
        return Err(Error::usage(message, "name a file"));
    }
    if !kind.is_file() {
        let message = format!("{} is not a regular file", path.display());
        let hint = format!("pipe it in: legwork run - < {}", quoted(&path.to_string_lossy()));
        return Err(Error::usage(message, hint));
    }
    let file = File::open(path).map_err(|source| refuse(source, "check its permissions"))?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|source| refuse(source, "see whether the file can be read"))?;
    Ok(bytes)
}

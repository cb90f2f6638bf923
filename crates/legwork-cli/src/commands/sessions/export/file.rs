//! The file of an export, which is written whole or not at all.

use std::io::{self, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::display::text::visible;
use crate::error::Error;

/// Checks that a file may be written.
///
/// # Errors
/// When there is one that is not to be overwritten, or something that is not a file.
pub(super) fn check_free(path: &Path, force: bool) -> Result<(), Error> {
    match path.symlink_metadata() {
        Ok(there) if !there.is_file() => {
            let message = format!("{} is not a regular file", shown(path));
            Err(Error::usage(message, "name another file, or leave -o out and redirect the output"))
        }
        Ok(_) if !force => Err(is_there(path)),
        _ => Ok(()),
    }
}

/// Writes a draft beside the file, which only its owner can read, and renames it.
///
/// # Errors
/// As [`check_free`], and when it cannot be written.
pub(super) fn write(path: &Path, text: &str, force: bool) -> Result<(), Error> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    let draft = draft(dir.unwrap_or_else(|| Path::new(".")), text);
    let kept = draft.and_then(|draft| match force {
        true => draft.persist(path).map_err(|error| error.error),
        false => draft.persist_noclobber(path).map_err(|error| error.error),
    });
    match kept {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(is_there(path)),
        Err(error) => {
            let source = io::Error::other(format!("{}: {error}", shown(path)));
            Err(Error::System { doing: "writing the export", source })
        }
    }
}

/// A file of its own, with the mode 0600; removed if it is dropped.
fn draft(dir: &Path, text: &str) -> io::Result<NamedTempFile> {
    let mut draft = NamedTempFile::new_in(dir)?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().sync_all()?;
    Ok(draft)
}

fn is_there(path: &Path) -> Error {
    let message = format!("there is a file {} already", shown(path));
    Error::usage(message, "overwrite it with --force, or name another file")
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

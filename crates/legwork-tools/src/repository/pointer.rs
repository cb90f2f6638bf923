//! Files that lead Git to a repository (gitrepository-layout(5)), as Git reads them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use super::folder::Folder;

/// Bytes of a `.git` file that Git reads.
pub(super) const BYTES_MAX: u64 = 1 << 20;

/// The path that a `.git` file contains.
pub(super) fn pointed_to(folder: &Folder, name: &OsStr) -> Option<PathBuf> {
    target(&folder.read(name, BYTES_MAX)?)
}

/// The same, from the content of the file.
pub(super) fn target(text: &[u8]) -> Option<PathBuf> {
    text.strip_prefix(b"gitdir: ").map(line)
}

/// The path in a file, without the line ends after it.
pub(super) fn line(text: &[u8]) -> PathBuf {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |at| at + 1);
    PathBuf::from(OsStr::from_bytes(text.get(..end).unwrap_or_default()))
}

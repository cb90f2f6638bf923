//! Opening the store's files: regular ones, for the owner alone.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use crate::private::{check_file, owner_only};

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    /// Reading, and writing in place.
    Write,
    /// Reading, and writing behind the last byte.
    Append,
}

/// Opens a file that exists.
pub(super) fn open(path: &Path, access: Access) -> io::Result<File> {
    check_file(path)?;
    options(access).open(path)
}

/// Opens a file, and creates it if it is missing.
///
/// Its name is durable once its folder is synced.
pub(super) fn open_or_create(path: &Path, access: Access) -> io::Result<File> {
    loop {
        match open(path, access) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        match options(access).create_new(true).open(path) {
            // Another process created it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => {
                owner_only(&file)?;
                return Ok(file);
            }
        }
    }
}

fn options(access: Access) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(access == Access::Write).append(access == Access::Append);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The length of a file; 0 if it is missing.
pub(super) fn length(path: &Path) -> io::Result<u64> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(found.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

/// Whether an open file still has a name: it was not removed.
#[cfg(unix)]
pub(super) fn has_name(file: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(file) > 0
}

/// Elsewhere an open file cannot be taken away.
#[cfg(not(unix))]
pub(super) fn has_name(_: &Metadata) -> bool {
    true
}

/// Nothing if a file is missing.
pub(super) fn if_there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads what a file has at its beginning, at most so many bytes.
pub(super) fn read_beginning(file: &File, len: usize) -> io::Result<Vec<u8>> {
    let (mut bytes, mut read) = (vec![0; len], 0);
    while let Some(rest) = bytes.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match read_at(file, rest, read as u64) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(read);
    Ok(bytes)
}

/// Writes bytes at an offset.
#[cfg(unix)]
pub(super) fn write_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(not(unix))]
pub(super) fn write_at(mut file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    io::Seek::seek(&mut file, io::SeekFrom::Start(offset))?;
    io::Write::write_all(&mut file, bytes)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    io::Seek::seek(&mut file, io::SeekFrom::Start(offset))?;
    io::Read::read(&mut file, bytes)
}

/// Makes the names in a folder durable.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Elsewhere a folder cannot be synced, and names are durable with their files.
#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Writes a small file as a whole: a reader sees the old one or the new one.
///
/// It is durable when this returns. Only one process at a time may do so.
pub(super) fn replace(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let draft = folder.join(format!("{name}.draft"));
    let written = (|| {
        let file = open_or_create(&draft, Access::Write)?;
        file.set_len(0)?;
        io::Write::write_all(&mut &file, bytes)?;
        file.sync_all()?;
        fs::rename(&draft, folder.join(name))
    })();
    if written.is_err() {
        // What is left of it says nothing, and is overwritten by the next one.
        let _ = fs::remove_file(&draft);
    }
    written?;
    sync_folder(folder)
}

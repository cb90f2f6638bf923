//! Files and folders for the owner alone, which lead nowhere else.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io;
use std::path::Path;

/// Makes a folder for the owner alone, if it is missing.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "other systems have no such rights"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        other => other?,
    }
    // The process's umask may have taken away the owner's own rights.
    #[cfg(unix)]
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// Makes a file the owner's alone, whatever the process's umask is.
#[cfg(unix)]
pub(crate) fn owner_only(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

/// Other systems have no such rights.
#[cfg(not(unix))]
pub(crate) fn owner_only(_: &File) -> io::Result<()> {
    Ok(())
}

/// Whether the path still leads to this file.
#[cfg(unix)]
pub(crate) fn is_named(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let held = file.metadata()?;
    // Itself, not what it may lead to.
    match fs::symlink_metadata(path) {
        Ok(named) => Ok(named.ino() == held.ino() && named.dev() == held.dev()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Elsewhere an open file cannot be taken away.
#[cfg(not(unix))]
pub(crate) fn is_named(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Its kind, if it is not a regular file.
pub(crate) fn odd(found: &Metadata) -> Option<&'static str> {
    let kind = found.file_type();
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a folder"),
        () if kind.is_symlink() => Some("a symbolic link"),
        () => Some("a pipe, a socket or a device"),
    }
}

/// Refuses a file that is not regular or has several names; a missing one may be created.
pub(crate) fn check_file(path: &Path) -> io::Result<()> {
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

/// Refuses a folder that is something else; a missing one may be created.
pub(crate) fn check_folder(path: &Path) -> io::Result<()> {
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

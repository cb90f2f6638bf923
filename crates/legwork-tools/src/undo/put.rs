//! Putting one file in its place in one go, so that a killed process leaves no draft for good.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use legwork_port::core::digest::Digest;
use rustix::fs::{AtFlags, Mode, OFlags, open, readlinkat, renameat, statat, symlinkat, unlinkat};
use rustix::io::Errno;

use crate::changes::{Held, Kind};
use crate::workspace::{Draft, Form, sweep_now};

/// Nobody else reads a file before it has its mode.
const PRIVATE: Mode = Mode::from_raw_mode(0o600);

/// Makes a path hold a file or a link, in the place of what has its name.
///
/// # Errors
/// Why it cannot; then nothing was changed.
pub(super) fn put(path: &Path, wanted: &Held) -> io::Result<()> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    let directory = directory(above)?;
    match wanted.kind {
        Kind::File => file(directory, name, wanted),
        Kind::Link => Ok(link(&directory, name, &wanted.content)?),
    }
}

/// Removes what a killed process left beside a file.
pub(super) fn sweep_beside(path: &Path) {
    if let Some(directory) = path.parent().and_then(|above| directory(above).ok()) {
        // What cannot be removed stays: it does no harm.
        let _ = sweep_now(&directory);
    }
}

fn directory(path: &Path) -> Result<OwnedFd, Errno> {
    open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

fn is_free(directory: &OwnedFd, name: &OsStr) -> bool {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).is_err_and(|errno| errno == Errno::NOENT)
}

fn file(directory: OwnedFd, name: &OsStr, wanted: &Held) -> io::Result<()> {
    let is_free = is_free(&directory, name);
    let written = |form| -> io::Result<Draft> {
        let draft = Draft::empty(directory.try_clone()?, PRIVATE, form)?;
        let mut file = draft.file();
        file.write_all(&wanted.content)?;
        file.set_permissions(Permissions::from_mode(wanted.mode))?;
        file.sync_all()?;
        Ok(draft)
    };
    let mut draft = written(Form::Unnamed)?;
    if is_free {
        return match draft.appear(name) {
            done @ (Ok(()) | Err(Errno::EXIST)) => Ok(done?),
            // Some systems know files without a name, but do not allow linking them.
            Err(_) => Ok(written(Form::Named)?.appear(name)?),
        };
    }
    if draft.entitle().is_err() {
        draft = written(Form::Named)?;
    }
    Ok(draft.take_over(name)?)
}

/// A link is made under its name, or, where that is taken, under one that the next try finds: a
/// link cannot be locked, so nobody else can tell whether it is in use.
fn link(directory: &OwnedFd, name: &OsStr, target: &[u8]) -> Result<(), Errno> {
    let target = OsStr::from_bytes(target);
    if is_free(directory, name) {
        return symlinkat(target, directory, name);
    }
    let draft = link_draft(name, target);
    match symlinkat(target, directory, &draft) {
        Err(Errno::EXIST) if readlinkat(directory, &draft, [])?.to_bytes() == target.as_bytes() => {
        }
        made => made?,
    }
    let moved = renameat(directory, &draft, directory, name);
    if moved.is_err() {
        let _ = unlinkat(directory, &draft, AtFlags::empty());
    }
    moved
}

fn link_draft(name: &OsStr, target: &OsStr) -> String {
    let of = [name.as_bytes(), b"\0", target.as_bytes()].concat();
    let digest = Digest::of_bytes(&of).to_string();
    format!(".legwork-{}.tmp", digest.get(..16).unwrap_or(&digest))
}

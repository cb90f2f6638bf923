//! Removing what commands made, however deep it is.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsRawFd as _;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, chmod, fstat, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::bound::Allowance;
use super::folder::Folder;

/// How many folders of a folder are taken at once.
const FOLDERS_MAX: usize = 10_000;
/// How often what is left is looked at.
const ROUNDS_MAX: usize = 1_000_000;

/// Removes what has a name, with all that lies in it; links are not followed.
pub(super) fn remove(folder: &Folder, name: &OsStr) -> io::Result<()> {
    match unlinkat(folder.handle(), name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(Errno::ISDIR | Errno::PERM) => remove_folder(folder, name),
        Err(errno) => Err(errno.into()),
    }
}

/// Removes a folder. A folder in a folder in it is moved up before that is removed, so that
/// two are open at a time.
fn remove_folder(above: &Folder, name: &OsStr) -> io::Result<()> {
    let top = enter(above, name)?;
    let mut number = 0_u64;
    for _ in 0..ROUNDS_MAX {
        for inner in empty(&top)? {
            let folder = enter(&top, &inner)?;
            for deep in empty(&folder)? {
                number = move_up(&folder, &deep, &top, number)?;
            }
            // Where more lay in it than are taken at once it stays for the next round.
            remove_empty(&top, &inner)?;
        }
        if remove_empty(above, name)? {
            return Ok(());
        }
    }
    Err(Errno::NOTEMPTY.into())
}

/// Removes a folder if it is empty; whether it was.
fn remove_empty(above: &Folder, name: &OsStr) -> io::Result<bool> {
    match unlinkat(above.handle(), name, AtFlags::REMOVEDIR) {
        Ok(()) => Ok(true),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// Removes all but folders from a folder; the next folders in it.
fn empty(folder: &Folder) -> io::Result<Vec<OsString>> {
    let mut all = Allowance::new(usize::MAX);
    let mut folders = Vec::new();
    for (name, kind) in folder.entries(&mut all) {
        if kind == FileType::Directory {
            folders.push(name);
            if folders.len() >= FOLDERS_MAX {
                break;
            }
        } else {
            unlinkat(folder.handle(), &name, AtFlags::empty())?;
        }
    }
    Ok(folders)
}

/// Moves a folder to a free name, by the first number after `number`; the number that it got.
fn move_up(from: &Folder, name: &OsStr, to: &Folder, mut number: u64) -> io::Result<u64> {
    // The kernel changes `..` in it.
    unlock(from, name)?;
    loop {
        number = number.saturating_add(1);
        match renameat(from.handle(), name, to.handle(), format!(".legwork-{number}")) {
            Ok(()) => return Ok(number),
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Opens a folder to be emptied.
fn enter(above: &Folder, name: &OsStr) -> io::Result<Folder> {
    unlock(above, name)?;
    Ok(above.enter(name)?)
}

/// Lets the owner write in a folder, whose name may lead elsewhere by now.
fn unlock(above: &Folder, name: &OsStr) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = openat(above.handle(), name, flags, Mode::empty())?;
    if Mode::from_raw_mode(fstat(&held)?.st_mode).contains(Mode::RWXU) {
        return Ok(());
    }
    Ok(chmod(format!("/proc/self/fd/{}", held.as_raw_fd()), Mode::RWXU)?)
}

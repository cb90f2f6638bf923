//! The private directory of a command, gone when the command is.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Once;

use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, flock, fstat, lstat, open, statat,
};
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

/// Names tried before we give up.
const NAMES: usize = 100;
/// Where it is made.
const TEMP: &str = "/tmp";
/// How its name begins; sixteen digits follow.
const NAME: &str = "legwork-";
const DIGITS: usize = 16;

/// A directory that only this user may enter; removed when dropped, with all it
/// holds, links not followed.
///
/// It is locked as long as its process lives: one that a killed process left is
/// removed by the next process that makes one.
#[derive(Debug)]
pub(super) struct Scratch {
    path: PathBuf,
    _lock: OwnedFd,
}

impl Scratch {
    pub(super) fn new() -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        SWEPT.call_once(|| sweep(Path::new(TEMP)));
        for _ in 0..NAMES {
            let mut random = [0_u8; 8];
            getrandom(&mut random, GetRandomFlags::empty())?;
            let path = Path::new(TEMP).join(format!("{NAME}{:016x}", u64::from_ne_bytes(random)));
            match rustix::fs::mkdir(&path, Mode::RWXU) {
                Ok(()) => {}
                Err(Errno::EXIST) => continue,
                Err(error) => return Err(error.into()),
            }
            // A sweep may have been between; then it is gone, or another's.
            if let Some(lock) = locked(&path)? {
                return Ok(Self { path, _lock: lock });
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What the command left so that it cannot be removed stays in the
        // system's temporary directory, which the system cleans.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// The lock of a directory that is still there; none if another has it.
fn locked(path: &Path) -> Result<Option<OwnedFd>, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = match open(path, flags, Mode::empty()) {
        Ok(opened) => opened,
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(errno),
    };
    match flock(&opened, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Ok(None),
        Err(errno) => return Err(errno),
    }
    let (held, there) = (fstat(&opened)?, lstat(path));
    let same = there.is_ok_and(|there| (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino));
    Ok(same.then_some(opened))
}

/// Removes what processes left that were killed.
fn sweep(place: &Path) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(handle) = open(place, flags, Mode::empty()) else { return };
    let Ok(listing) = Dir::read_from(&handle) else { return };
    let user = rustix::process::geteuid().as_raw();
    for entry in listing.flatten().filter(|entry| is_ours(entry.file_name())) {
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        let Ok(stat) = statat(&handle, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        let directory = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        if !directory || stat.st_uid != user {
            continue;
        }
        let path = place.join(name);
        if let Ok(Some(_lock)) = locked(&path) {
            // What cannot be removed now may be so another time.
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

fn is_ours(name: &CStr) -> bool {
    let digits = name.to_bytes().strip_prefix(NAME.as_bytes());
    digits.is_some_and(|digits| digits.len() == DIGITS && digits.iter().all(u8::is_ascii_hexdigit))
}

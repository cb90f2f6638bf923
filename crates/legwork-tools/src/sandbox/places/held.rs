//! A place that a run trusts: resolved once, and held open.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, Stat, fstat, lstat};

use crate::linux::{Cover, Mount};
use crate::sandbox::error::Error;

/// How many symlinks are followed, as the kernel does (`MAXSYMLINKS`).
const LINKS_MAX: usize = 40;

/// A file or directory that is held open, to distinguish it from another
/// that takes its name.
#[derive(Debug)]
pub(in crate::sandbox) struct Held {
    path: PathBuf,
    stat: Stat,
    /// Keeps its inode number from being given to another.
    _handle: OwnedFd,
}

impl Held {
    /// Holds a place; its path has no symlinks.
    ///
    /// # Errors
    /// What the kernel said.
    pub(in crate::sandbox) fn open(path: PathBuf) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::open(&path, flags, Mode::empty())?;
        Ok(Self { stat: fstat(&handle)?, path, _handle: handle })
    }

    pub(in crate::sandbox) fn path(&self) -> &Path {
        &self.path
    }

    /// A mount over it.
    pub(in crate::sandbox) fn covered(&self, cover: Cover) -> Mount {
        Mount::new(&self.path, self.stat.st_dev, self.stat.st_ino, cover)
    }

    /// Checks that its path still names it.
    ///
    /// # Errors
    /// [`Error::Moved`] when it names something else, or nothing.
    pub(in crate::sandbox) fn check(&self) -> Result<(), Error> {
        let identity = |stat: &Stat| (stat.st_dev, stat.st_ino);
        match lstat(&self.path) {
            Ok(now) if identity(&now) == identity(&self.stat) => Ok(()),
            _ => Err(Error::Moved { place: self.path.clone() }),
        }
    }
}

/// The place as the kernel resolves it, if it is there.
///
/// # Errors
/// [`Error::Movable`] when a symlink on the way lies in one of `writable`: a command may
/// lead it elsewhere.
pub(crate) fn resolve(place: &Path, writable: &[PathBuf]) -> Result<Option<PathBuf>, Error> {
    let mut real = PathBuf::from("/");
    let mut waiting: VecDeque<OsString> = parts(place).collect();
    let mut links = 0_usize;
    while let Some(part) = waiting.pop_front() {
        if part == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&part);
        let Ok(found) = next.symlink_metadata() else { return Ok(None) };
        if !found.is_symlink() {
            real = next;
            continue;
        }
        if writable.iter().any(|writable| real.starts_with(writable)) {
            return Err(Error::Movable { place: place.to_owned(), link: next });
        }
        links = links.saturating_add(1);
        let Some(target) = next.read_link().ok().filter(|_| links <= LINKS_MAX) else {
            return Ok(None);
        };
        if target.is_absolute() {
            real = PathBuf::from("/");
        }
        for part in parts(&target).rev() {
            waiting.push_front(part);
        }
    }
    Ok(Some(real))
}

fn parts(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}

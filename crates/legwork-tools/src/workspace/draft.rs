//! A file that is written out of sight, before it appears under its name.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsRawFd as _, OwnedFd};

use rustix::fs::{
    AtFlags, FlockOperation, Gid, Mode, OFlags, RenameFlags, Uid, fchmod, fchown, flock, fstat,
    linkat, openat, renameat, renameat_with, unlinkat,
};
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

use super::place::{Current, Location};
use super::{Error, attributes, stale};

/// How many names are tried for a draft.
const NAMES_TRIED: usize = 100;
/// What a new version keeps of the mode. Not set-user-id and set-group-id: the
/// kernel takes them from a file that is written to, and so do we.
const MODE_KEPT: u32 = 0o1777;

const START: &str = ".legwork-";
const END: &str = ".tmp";
/// Hexadecimal digits between the two.
const DIGITS: usize = 16;

/// How a draft exists while it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Without any name where the file system can: a killed process leaves nothing behind.
    Unnamed,
    /// Under a name of its own.
    Named,
}

/// A file in the directory it is meant for.
///
/// It is removed when dropped. What a killed process leaves of one is not locked, and the
/// next process that writes into the directory removes it.
#[derive(Debug)]
pub(crate) struct Draft {
    directory: OwnedFd,
    file: File,
    /// None where nothing is to be removed.
    name: Option<OsString>,
}

impl Draft {
    /// Creates a draft with its content.
    ///
    /// # Errors
    /// Why it cannot be written; nothing is left of it.
    pub(super) fn new(
        place: &Location,
        content: &[u8],
        mode: Mode,
        form: Form,
    ) -> Result<Self, Error> {
        let directory = place.directory.try_clone().map_err(|source| place.failed(source))?;
        let mut draft =
            Self::empty(directory, mode, form).map_err(|errno| place.unwritten(errno))?;
        draft.file.write_all(content).map_err(|source| place.failed(source))?;
        Ok(draft)
    }

    /// Creates a draft without content.
    pub(crate) fn empty(directory: OwnedFd, mode: Mode, form: Form) -> Result<Self, Errno> {
        stale::sweep(&directory);
        let unnamed = match form {
            Form::Unnamed => unnamed(&directory, mode),
            Form::Named => None,
        };
        match unnamed {
            Some(file) => Ok(Self { directory, file, name: None }),
            None => Self::named(directory, mode),
        }
    }

    /// The file that is written.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    fn named(directory: OwnedFd, mode: Mode) -> Result<Self, Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        for _ in 0..NAMES_TRIED {
            let name = fresh_name()?;
            let file = match openat(&directory, &name, flags | OFlags::CLOEXEC, mode) {
                Ok(file) => File::from(file),
                Err(Errno::EXIST) => continue,
                Err(errno) => return Err(errno),
            };
            lock(&file);
            // Before it was locked, another process may have taken it for a stale one.
            if fstat(&file)?.st_nlink > 0 {
                return Ok(Self { directory, file, name: Some(name) });
            }
        }
        Err(Errno::EXIST)
    }

    /// Waits until the content is on the disk.
    pub(super) fn sync(&self, place: &Location) -> Result<(), Error> {
        self.file.sync_all().map_err(|source| place.failed(source))
    }

    /// Takes over the owner, the mode and the attributes of the file that it will replace.
    pub(super) fn take_after(&self, place: &Location, current: &Current) -> Result<(), Error> {
        let own = fstat(&self.file).map_err(|errno| place.unwritten(errno))?;
        let then = &current.stat;
        if (own.st_uid, own.st_gid) != (then.st_uid, then.st_gid) {
            let (user, group) = (Uid::from_raw(then.st_uid), Gid::from_raw(then.st_gid));
            fchown(&self.file, Some(user), Some(group))
                .map_err(|_| Error::Owner { path: place.asked.clone() })?;
        }
        let mode = Mode::from_raw_mode(then.st_mode & MODE_KEPT);
        fchmod(&self.file, mode)
            .and_then(|()| attributes::copy(&current.file, &self.file))
            .map_err(|errno| place.unwritten(errno))
    }

    /// Gives it a name of its own if it has none, as renaming needs.
    pub(crate) fn entitle(&mut self) -> Result<(), Errno> {
        for _ in 0..NAMES_TRIED {
            if self.name.is_some() {
                return Ok(());
            }
            let name = fresh_name()?;
            match link(&self.file, &self.directory, &name) {
                Ok(()) => self.name = Some(name),
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        Err(Errno::EXIST)
    }

    /// Gives it a name that no file has.
    pub(crate) fn appear(mut self, name: &OsStr) -> Result<(), Errno> {
        let Some(own) = &self.name else {
            return link(&self.file, &self.directory, name);
        };
        let flags = RenameFlags::NOREPLACE;
        match renameat_with(&self.directory, own, &self.directory, name, flags) {
            Ok(()) => self.name = None,
            // Network file systems and old kernels do not know the flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                linkat(&self.directory, own, &self.directory, name, AtFlags::empty())?;
            }
            Err(errno) => return Err(errno),
        }
        Ok(())
    }

    /// Puts it in the place of what has the name.
    pub(crate) fn take_over(mut self, name: &OsStr) -> Result<(), Errno> {
        let own = self.name.as_deref().ok_or(Errno::NOENT)?;
        renameat(&self.directory, own, &self.directory, name)?;
        self.name = None;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = unlinkat(&self.directory, name, AtFlags::empty());
        }
    }
}

/// Whether a name is one of a draft; such files are not listed.
pub(crate) fn is_draft(name: &[u8]) -> bool {
    let digits = name
        .strip_prefix(START.as_bytes())
        .and_then(|rest| rest.strip_suffix(END.as_bytes()))
        .unwrap_or_default();
    digits.len() == DIGITS && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

fn fresh_name() -> Result<OsString, Errno> {
    let mut random = [0; DIGITS / 2];
    getrandom(&mut random, GetRandomFlags::empty())?;
    Ok(format!("{START}{:0DIGITS$x}{END}", u64::from_ne_bytes(random)).into())
}

/// A file without a name; none where it could not be given one later.
fn unnamed(directory: &OwnedFd, mode: Mode) -> Option<File> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    let file = File::from(openat(directory, ".", flags, mode).ok()?);
    lock(&file);
    // Without procfs it cannot be named.
    std::fs::symlink_metadata(in_procfs(&file)).is_ok().then_some(file)
}

/// Gives a file without a name one that no file has.
fn link(file: &File, directory: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
    linkat(rustix::fs::CWD, in_procfs(file), directory, name, AtFlags::SYMLINK_FOLLOW)
}

fn in_procfs(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Shows other processes that it is in use.
fn lock(file: &File) {
    // Where there are no locks, no process can take one to remove it either.
    let _ = flock(file, FlockOperation::NonBlockingLockExclusive);
}

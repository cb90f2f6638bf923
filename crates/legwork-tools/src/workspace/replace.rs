//! A new version of a file, put in its place in one step.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{
    Access, AtFlags, Gid, Mode, OFlags, Uid, accessat, fchmod, fchown, openat, renameat, unlinkat,
};
use rustix::io::Errno;

use super::change::Leave;
use super::place::{Current, Place, is_same};
use super::{Error, attributes};

/// How many names are tried for a draft.
const NAMES_TRIED: usize = 100;
/// What a new version keeps of the mode. Not set-user-id and set-group-id: the
/// kernel takes them from a file that is written to, and so do we.
const MODE_KEPT: u32 = 0o1777;
const WRITABLE: u32 = 0o222;

/// Counts the drafts of this process.
static DRAFTS: AtomicU64 = AtomicU64::new(0);

/// Held from the last look at a file to its renaming, so that two changes of
/// our own under different spellings of a path cannot lose one another.
static RENAMING: Mutex<()> = Mutex::new(());

pub(super) fn renaming() -> MutexGuard<'static, ()> {
    RENAMING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Place {
    /// Refuses a file that may not be changed, before anything is done.
    ///
    /// # Errors
    /// Why it may not be changed.
    pub(crate) fn check_changeable(&self, current: &Current) -> Result<(), Error> {
        let path = self.asked.clone();
        #[allow(clippy::useless_conversion, reason = "its width differs by architecture")]
        let names = u64::from(current.stat.st_nlink);
        if names > 1 {
            return Err(Error::Linked { path, names });
        }
        // Renaming asks the directory alone, and the administrator is never
        // refused; but whoever took the right to write away meant it.
        if current.stat.st_mode & WRITABLE == 0 {
            let why = "its mode lets nobody write it; if it shall be changed, chmod u+w it first";
            return Err(Error::ReadOnly { path, why });
        }
        let access = accessat(&self.directory, &self.name, Access::WRITE_OK, AtFlags::EACCESS);
        match access {
            Err(errno @ (Errno::ACCESS | Errno::PERM | Errno::ROFS)) => Err(self.unwritten(errno)),
            _ => Ok(()),
        }
    }

    /// Puts new content in the place of what is there; mode, owner and
    /// attributes stay.
    ///
    /// When it returns well, the whole content is on the disk; else the file
    /// is as it was. A change by somebody else is noticed unless it falls
    /// between the last look and the renaming next to it.
    ///
    /// # Errors
    /// Why nothing was changed.
    pub(crate) fn replace(
        &self,
        current: &Current,
        content: &[u8],
        leave: &Leave,
    ) -> Result<(), Error> {
        self.check_changeable(current)?;
        let draft = Draft::new(self, content, Mode::from_raw_mode(0o600))?;
        draft.take_after(self, current)?;
        draft.sync(self)?;
        let renaming = renaming();
        if !leave.used() {
            return Err(self.ended());
        }
        if !self.look().is_ok_and(|now| is_same(&current.stat, &now)) {
            return Err(self.changed());
        }
        renameat(&self.directory, draft.name(), &self.directory, &self.name)
            .map_err(|errno| self.unwritten(errno))?;
        draft.keep();
        drop(renaming);
        self.sync_directory();
        Ok(())
    }
}

/// A file under a name of its own, next to the place it is meant for.
///
/// It is removed when dropped; only a killed process leaves one behind.
#[derive(Debug)]
pub(super) struct Draft {
    directory: OwnedFd,
    name: OsString,
    file: File,
    kept: bool,
}

impl Draft {
    /// Creates a draft with its content.
    ///
    /// # Errors
    /// Why it cannot be written; nothing is left of it.
    pub(super) fn new(place: &Place, content: &[u8], mode: Mode) -> Result<Self, Error> {
        let io = |source| Error::Write { path: place.asked.clone(), source };
        let directory = place.directory.try_clone().map_err(io)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let taken = || {
            let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!(".legwork-{}-{number}.tmp", std::process::id()));
            let opened = openat(&directory, &name, flags | OFlags::CLOEXEC, mode);
            (name, opened)
        };
        let free = |(_, opened): &(_, Result<OwnedFd, Errno>)| !matches!(opened, Err(Errno::EXIST));
        let found = (0..NAMES_TRIED).map(|_| taken()).find(free);
        let (name, opened) = found.ok_or_else(|| place.unwritten(Errno::EXIST))?;
        let file = File::from(opened.map_err(|errno| place.unwritten(errno))?);
        let mut draft = Self { directory, name, file, kept: false };
        draft.file.write_all(content).map_err(io)?;
        Ok(draft)
    }

    pub(super) fn name(&self) -> &OsStr {
        &self.name
    }

    /// Its name is another one now: there is nothing to remove.
    pub(super) fn keep(mut self) {
        self.kept = true;
    }

    /// Waits until the content is on the disk.
    pub(super) fn sync(&self, place: &Place) -> Result<(), Error> {
        let failed = |source| Error::Write { path: place.asked.clone(), source };
        self.file.sync_all().map_err(failed)
    }

    /// Takes over the owner, the mode and the attributes of the file that it will replace.
    fn take_after(&self, place: &Place, current: &Current) -> Result<(), Error> {
        let own = rustix::fs::fstat(&self.file).map_err(|errno| place.unwritten(errno))?;
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
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.kept {
            let _ = unlinkat(&self.directory, &self.name, AtFlags::empty());
        }
    }
}

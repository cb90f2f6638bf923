//! A new version of a file, put in its place in one step.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{Access, AtFlags, Mode, accessat};
use rustix::io::Errno;

use super::Error;
use super::change::Leave;
use super::draft::{Draft, Form};
use super::place::{Current, Location, is_same};

/// No other process reads a new version before it has the mode of the old one.
const PRIVATE: Mode = Mode::from_raw_mode(0o600);
const WRITABLE: u32 = 0o222;

/// Held from the last look at a file to its renaming, so that two changes of
/// our own under different spellings of a path cannot lose one another.
static RENAMING: Mutex<()> = Mutex::new(());

pub(super) fn renaming() -> MutexGuard<'static, ()> {
    RENAMING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Location {
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
        // refused; but the right to write was taken away on purpose.
        if current.stat.st_mode & WRITABLE == 0 {
            let why = "its mode forbids writing it; if it is to be changed, chmod u+w it first";
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
    /// is as it was. A change by another process is noticed unless it falls
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
        let draft = self.successor(current, content)?;
        let renaming = renaming();
        if !leave.used() {
            return Err(self.ended());
        }
        if !self.look().is_ok_and(|now| is_same(&current.stat, &now)) {
            return Err(self.changed());
        }
        draft.take_over(&self.name).map_err(|errno| self.unwritten(errno))?;
        drop(renaming);
        self.sync_directory();
        Ok(())
    }

    /// The new version, on the disk and under a name of its own.
    fn successor(&self, current: &Current, content: &[u8]) -> Result<Draft, Error> {
        let written = |form| {
            let draft = Draft::new(self, content, PRIVATE, form)?;
            draft.take_after(self, current)?;
            draft.sync(self)?;
            Ok(draft)
        };
        let mut draft = written(Form::Unnamed)?;
        match draft.entitle() {
            Ok(()) => Ok(draft),
            // Some systems know files without a name, but do not allow linking them.
            Err(_) => written(Form::Named),
        }
    }
}

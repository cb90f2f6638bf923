//! A new file, with the folders that are missing on the way.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, RenameFlags, fsync, linkat, mkdirat, openat, renameat_with};
use rustix::io::Errno;

use super::change::Leave;
use super::place::{DIRECTORY, Place};
use super::replace::{Draft, renaming};
use super::{Error, check_system};

/// As any program creates: what the umask of the process leaves of it.
const FILE_MODE: Mode = Mode::from_raw_mode(0o666);
const DIRECTORY_MODE: Mode = Mode::from_raw_mode(0o777);

impl Place {
    /// Creates the file, and the folders that are missing.
    ///
    /// When it returns well, the whole content is on the disk. A file that
    /// somebody else created meanwhile is left as it is.
    ///
    /// # Errors
    /// Why nothing was created; new folders may be left.
    pub(crate) fn create(mut self, content: &[u8], leave: &Leave) -> Result<(), Error> {
        check_system(&self.asked, &self.directory)?;
        for folder in std::mem::take(&mut self.missing) {
            if leave.is_revoked() {
                return Err(self.ended());
            }
            self.directory = self.folder(&folder)?;
        }
        let draft = Draft::new(&self, content, FILE_MODE)?;
        draft.sync(&self)?;
        let renaming = renaming();
        if !leave.used() {
            return Err(self.ended());
        }
        match rename_new(&self.directory, draft.name(), &self.name) {
            Ok(Gone::Renamed) => draft.keep(),
            Ok(Gone::Linked) => drop(draft),
            Err(Errno::EXIST) => return Err(self.changed()),
            Err(errno) => return Err(self.unwritten(errno)),
        }
        drop(renaming);
        self.sync_directory();
        Ok(())
    }

    fn folder(&self, name: &OsStr) -> Result<OwnedFd, Error> {
        match mkdirat(&self.directory, name, DIRECTORY_MODE) {
            // Somebody else was faster; what they made is looked at below.
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(self.unwritten(errno)),
        }
        self.sync_directory();
        let open = |flags| openat(&self.directory, name, flags, Mode::empty());
        match open(DIRECTORY | OFlags::NOFOLLOW) {
            Ok(folder) => Ok(folder),
            Err(Errno::NOTDIR | Errno::LOOP) => {
                let part = name.to_string_lossy().into_owned();
                Err(Error::InTheWay { path: self.asked.clone(), part })
            }
            Err(errno) => Err(self.unwritten(errno)),
        }
    }

    /// Makes new names of the directory outlast a power failure.
    pub(super) fn sync_directory(&self) {
        // The change has happened: a disk that fails now undoes nothing that
        // the model could mend, and some file systems do not know the call.
        let _ = fsync(&self.directory);
    }

    pub(super) fn ended(&self) -> Error {
        Error::Ended { path: self.asked.clone() }
    }

    pub(super) fn unwritten(&self, errno: Errno) -> Error {
        let path = self.asked.clone();
        match errno {
            Errno::ACCESS | Errno::PERM => Error::WriteDenied { path },
            Errno::ROFS => Error::ReadOnly {
                path,
                why: "its file system is mounted read-only; write somewhere else",
            },
            Errno::NAMETOOLONG => super::too_long(&self.asked),
            errno => Error::Write { path, source: errno.into() },
        }
    }
}

/// What became of the draft's own name.
enum Gone {
    Renamed,
    Linked,
}

/// Gives a draft a name that nobody has.
fn rename_new(directory: &OwnedFd, from: &OsStr, to: &OsStr) -> Result<Gone, Errno> {
    match renameat_with(directory, from, directory, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(Gone::Renamed),
        // Network file systems and old kernels do not know the flag.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            linkat(directory, from, directory, to, rustix::fs::AtFlags::empty())?;
            Ok(Gone::Linked)
        }
        Err(errno) => Err(errno),
    }
}

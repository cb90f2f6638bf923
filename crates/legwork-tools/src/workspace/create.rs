//! A new file, with the folders that are missing on the way.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Mode, OFlags, fsync, mkdirat, openat, unlinkat};
use rustix::io::Errno;

use super::change::Leave;
use super::draft::{Draft, Form};
use super::place::{DIRECTORY, Location};
use super::replace::renaming;
use super::{Error, check_system};

/// As any program creates: what the umask of the process leaves of it.
const FILE_MODE: Mode = Mode::from_raw_mode(0o666);
const DIRECTORY_MODE: Mode = Mode::from_raw_mode(0o777);

impl Location {
    /// Creates the file, and the folders that are missing; gives how many those were.
    ///
    /// When it returns well, the whole content is on the disk. A file that
    /// another process created meanwhile is left as it is.
    ///
    /// # Errors
    /// Why nothing was created; of new folders those are left that another process used
    /// meanwhile.
    pub(crate) fn create(mut self, content: &[u8], leave: &Leave) -> Result<u32, Error> {
        check_system(&self.asked, &self.directory)?;
        let mut folders = Folders::default();
        for name in std::mem::take(&mut self.missing) {
            if leave.is_revoked() {
                return Err(self.ended());
            }
            let folder = self.folder(&name, &mut folders)?;
            self.directory = folder;
        }
        let written = |form| {
            let draft = Draft::new(&self, content, FILE_MODE, form)?;
            draft.sync(&self)?;
            Ok(draft)
        };
        let draft = written(Form::Unnamed)?;
        let renaming = renaming();
        if !leave.used() {
            return Err(self.ended());
        }
        let appeared = match draft.appear(&self.name) {
            done @ (Ok(()) | Err(Errno::EXIST)) => done,
            // Some systems know files without a name, but do not allow linking them.
            Err(_) => written(Form::Named)?.appear(&self.name),
        };
        let made = u32::try_from(folders.0.len()).unwrap_or(u32::MAX);
        match appeared {
            Ok(()) => folders.keep(),
            Err(Errno::EXIST) => return Err(self.changed()),
            Err(errno) => return Err(self.unwritten(errno)),
        }
        drop(renaming);
        self.sync_directory();
        Ok(made)
    }

    fn folder(&self, name: &OsStr, made: &mut Folders) -> Result<OwnedFd, Error> {
        match mkdirat(&self.directory, name, DIRECTORY_MODE) {
            Ok(()) => {
                let above = self.directory.try_clone().map_err(|source| self.failed(source))?;
                made.0.push((above, name.to_owned()));
            }
            // Another process was faster; what it made is checked below.
            Err(Errno::EXIST) => {}
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

    /// Why a change failed, after something was written.
    pub(super) fn failed(&self, source: std::io::Error) -> Error {
        match Errno::from_io_error(&source) {
            Some(errno) => self.unwritten(errno),
            None => Error::Write { path: self.asked.clone(), source },
        }
    }

    pub(super) fn unwritten(&self, errno: Errno) -> Error {
        let path = self.asked.clone();
        match errno {
            Errno::ACCESS | Errno::PERM => Error::WriteDenied { path },
            Errno::ROFS => Error::ReadOnly {
                path,
                why: "its file system is mounted read-only; write somewhere else",
            },
            Errno::NOSPC | Errno::DQUOT => Error::Full { path },
            Errno::NAMETOOLONG => super::too_long(&self.asked),
            errno => Error::Write { path, source: errno.into() },
        }
    }
}

/// Folders that were made for a file: removed again unless it came to be.
#[derive(Debug, Default)]
struct Folders(Vec<(OwnedFd, OsString)>);

impl Folders {
    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        // The deepest first; one that another process uses by now is not empty and stays.
        for (above, name) in self.0.iter().rev() {
            let _ = unlinkat(above, name, AtFlags::REMOVEDIR);
        }
    }
}

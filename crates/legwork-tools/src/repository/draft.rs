//! A file that is written as a whole before it has its name.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, CWD, Gid, Mode, OFlags, Uid, fchmod, fchown, linkat, openat};
use rustix::io::Errno;

use super::entry::Entry;
use super::folder::{Folder, proc_path};
use super::random;

/// A file that is written as a whole before it has its name.
///
/// It has none until then, where the file system can do that; else one that no command can guess.
pub(super) struct Draft {
    file: OwnedFd,
    name: Option<String>,
}

impl Draft {
    /// Writes a file that is to be where an entry was.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn write(folder: &Folder, entry: &Entry, content: &[u8]) -> io::Result<Self> {
        let draft = Self::make(folder)?;
        if rustix::process::geteuid().is_root() {
            let (user, group) = (entry.stat.user, entry.stat.group);
            fchown(&draft.file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)))?;
        }
        fchmod(&draft.file, Mode::from_raw_mode(entry.mode()))?;
        let mut file = File::from(draft.file.try_clone()?);
        file.write_all(content)?;
        file.sync_all()?;
        Ok(draft)
    }

    fn make(folder: &Folder) -> Result<Self, Errno> {
        let (mode, flags) = (Mode::RUSR | Mode::WUSR, OFlags::WRONLY | OFlags::CLOEXEC);
        let unnamed = || openat(folder.handle(), ".", flags | OFlags::TMPFILE, mode);
        match folder.with_rights(unnamed) {
            Ok(file) => return Ok(Self { file, name: None }),
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => {}
            Err(errno) => return Err(errno),
        }
        let name = format!(".legwork-{}.tmp", random()?);
        let flags = flags | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let file = folder.with_rights(|| openat(folder.handle(), &name, flags, mode))?;
        Ok(Self { file, name: Some(name) })
    }

    /// Gives it its name, which nothing has yet.
    ///
    /// # Errors
    /// [`Errno::EXIST`] when something has it.
    pub(super) fn publish(&self, folder: &Folder, name: &OsStr) -> Result<(), Errno> {
        folder.with_rights(|| match &self.name {
            Some(draft) => folder.move_to(OsStr::new(draft), folder, name),
            None => {
                let held = proc_path(&self.file);
                linkat(CWD, held, folder.handle(), name, AtFlags::SYMLINK_FOLLOW)
            }
        })
    }
}

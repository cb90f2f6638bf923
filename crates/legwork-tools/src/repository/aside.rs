//! Sets aside what commands put where it must not stay: nothing is deleted.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{Mode, OFlags, chmod, fstat, mkdirat, openat, renameat};
use rustix::io::Errno;

use super::folder::Folder;
use super::snapshot::Root;

/// The name of a folder for it; a time follows.
const NAME: &str = "legwork-removed-";
/// How many names of a folder are tried.
const TRIES: u64 = 100;

/// Where things of one directory are set aside: in their repository, else in the directory
/// itself, in a folder of this time.
pub(super) struct Aside<'r> {
    root: &'r Folder,
    before: &'r Root,
    /// By the repository.
    folders: BTreeMap<PathBuf, (Folder, PathBuf)>,
    number: u64,
}

impl<'r> Aside<'r> {
    pub(super) fn new(root: &'r Folder, before: &'r Root) -> Self {
        Self { root, before, folders: BTreeMap::new(), number: 0 }
    }

    /// Moves what has a name out of a folder; the folder that it is moved to, none if nothing
    /// has the name.
    ///
    /// `path` is where it is, below the directory.
    ///
    /// # Errors
    /// When it cannot be moved: it stays.
    pub(super) fn take(&mut self, from: &Folder, path: &Path) -> io::Result<Option<PathBuf>> {
        let Some(name) = path.file_name() else { return Err(Errno::INVAL.into()) };
        if matches!(from.look(name), Err(Errno::NOENT)) {
            return Ok(None);
        }
        self.number = self.number.saturating_add(1);
        let number = self.number;
        let (folder, place) = self.folder(path)?;
        let mut free = OsString::from(format!("{number}-"));
        free.push(name);
        let mut moved = renameat(from.handle(), name, folder.handle(), &free);
        if moved == Err(Errno::ACCESS) {
            // The kernel changes `..` in a folder.
            unlock(from, name)?;
            moved = renameat(from.handle(), name, folder.handle(), &free);
        }
        if moved == Err(Errno::NAMETOOLONG) {
            moved = renameat(from.handle(), name, folder.handle(), number.to_string());
        }
        match moved {
            Ok(()) => Ok(Some(place.clone())),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    /// The folder for a place, and its path.
    fn folder(&mut self, path: &Path) -> io::Result<&(Folder, PathBuf)> {
        let is_own = |above: &&Path| self.before.repositories.iter().any(|git| git == above);
        let git = path.ancestors().skip(1).find(is_own);
        let home = git.unwrap_or(Path::new("")).to_owned();
        if !self.folders.contains_key(&home) {
            let made = self.make(&home, git.is_some())?;
            self.folders.insert(home.clone(), made);
        }
        self.folders.get(&home).ok_or_else(|| Errno::NOENT.into())
    }

    fn make(&self, home: &Path, is_git: bool) -> io::Result<(Folder, PathBuf)> {
        let above = self.root.below(home)?;
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        // In a working tree it is hidden.
        let dot = if is_git { "" } else { "." };
        for number in 0..TRIES {
            let name = format!("{dot}{NAME}{time}-{number}");
            match mkdirat(above.handle(), &name, Mode::RWXU) {
                Ok(()) => {
                    let folder = above.enter(OsStr::new(&name))?;
                    return Ok((folder, self.before.absolute(&home.join(name))));
                }
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Err(Errno::EXIST.into())
    }
}

/// Lets the owner write in a folder, whose name may lead elsewhere by now.
fn unlock(above: &Folder, name: &OsStr) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = openat(above.handle(), name, flags, Mode::empty())?;
    let mode = Mode::from_raw_mode(fstat(&held)?.st_mode) & Mode::from_raw_mode(0o7777);
    Ok(chmod(format!("/proc/self/fd/{}", held.as_raw_fd()), mode | Mode::RWXU)?)
}

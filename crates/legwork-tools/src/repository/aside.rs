//! Sets aside what commands put where it must not stay: nothing is deleted.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{Mode, mkdirat};
use rustix::io::Errno;

use super::bound::Allowance;
use super::entry::Entry;
use super::folder::Folder;
use super::pointer::pointed_to;
use super::random;
use super::resolve::resolve;
use super::snapshot::Root;

/// What the name of a folder for it begins with, in a repository; a time follows.
const NAME: &str = "legwork-removed-";
/// The same in a working tree, where it is hidden.
const HIDDEN: &str = ".legwork-removed-";
/// How many folders are tried, where something has each new name in them.
const TRIES: u32 = 3;

/// Most names on the way that a `.git` file leads.
const STEPS: usize = 10_000;

/// Whether a folder is named like those for what was set aside.
pub(super) fn is_named(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(NAME.as_bytes()) || name.starts_with(HIDDEN.as_bytes())
}

/// The folders that were made for it, to be used again.
#[derive(Debug, Default)]
pub(super) struct Folders {
    /// By the path of the repository, or of the directory.
    names: BTreeMap<PathBuf, String>,
    /// How many things were set aside: each has its number in its name.
    number: u64,
}

/// Where things of one directory are set aside: in their repository, else in the directory
/// itself.
pub(super) struct Aside<'r> {
    root: &'r Folder,
    before: &'r Root,
    folders: &'r mut Folders,
    last: Option<Home>,
}

/// The folder of one repository, open.
struct Home {
    /// The repository, below the directory.
    path: PathBuf,
    folder: Folder,
    place: PathBuf,
}

impl<'r> Aside<'r> {
    pub(super) fn new(root: &'r Folder, before: &'r Root, folders: &'r mut Folders) -> Self {
        Self { root, before, folders, last: None }
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
        for _ in 0..TRIES {
            self.folders.number = self.folders.number.saturating_add(1);
            let number = self.folders.number;
            let Home { folder, place, path: home } = self.home(path)?;
            match move_out(from, name, folder, number) {
                Ok(()) => return Ok(Some(place.clone())),
                Err(Errno::NOENT) => return Ok(None),
                // A command put something there: it stays, and another folder is made.
                Err(Errno::EXIST) => {
                    let home = home.clone();
                    self.folders.names.remove(&self.before.absolute(&home));
                    self.last = None;
                }
                Err(errno) => return Err(errno.into()),
            }
        }
        Err(Errno::EXIST.into())
    }

    /// Whether a `.git` file leads to what was a repository at its place: it was moved, to where
    /// it is found.
    pub(super) fn leads_to(&self, above: &Folder, path: &Path, before: &Entry) -> bool {
        let Some(target) = pointed_to(above, path.file_name().unwrap_or_default()) else {
            return false;
        };
        let from = self.before.absolute(path.parent().unwrap_or(Path::new("")));
        let way = resolve(&from, &target, &mut Allowance::new(STEPS));
        let end = way.and_then(|way| way.end).filter(|end| end.starts_with(&self.before.path));
        end.is_some_and(|end| before.stat.is_at(&end))
    }

    /// The folder for a place.
    fn home(&mut self, path: &Path) -> io::Result<&Home> {
        let is_own = |above: &&Path| self.before.repositories.iter().any(|git| git == above);
        let git = path.ancestors().skip(1).find(is_own);
        let (path, prefix) = git.map_or((Path::new(""), HIDDEN), |git| (git, NAME));
        let home = match self.last.take().filter(|last| last.path == path) {
            Some(last) => last,
            None => self.open(path, prefix)?,
        };
        Ok(self.last.insert(home))
    }

    /// Opens the folder of a repository: the one of before, if it is still there.
    fn open(&mut self, path: &Path, prefix: &str) -> io::Result<Home> {
        let above = self.root.below(path)?;
        let key = self.before.absolute(path);
        let used = self.folders.names.get(&key);
        let used = used.and_then(|name| Some((name.clone(), reopen(&above, name)?)));
        let (name, folder) = used.map_or_else(|| make(&above, prefix), Ok)?;
        let place = key.join(&name);
        self.folders.names.insert(key, name);
        Ok(Home { path: path.to_owned(), folder, place })
    }
}

/// Opens a folder that was used before; a command may have taken its rights, or put another
/// in its place.
fn reopen(above: &Folder, name: &str) -> Option<Folder> {
    let folder = above.enter(OsStr::new(name)).ok()?;
    folder.unlock().ok()?;
    Some(folder)
}

/// Moves something out of a folder, with a number before its name.
fn move_out(from: &Folder, name: &OsStr, to: &Folder, number: u64) -> Result<(), Errno> {
    let mut free = OsString::from(format!("{number}-"));
    free.push(name);
    let mut moved = from.with_rights(|| from.move_to(name, to, &free));
    if moved == Err(Errno::ACCESS) {
        // The kernel changes `..` in a folder.
        from.enter(name)?.unlock()?;
        moved = from.move_to(name, to, &free);
    }
    match moved {
        Err(Errno::NAMETOOLONG) => from.move_to(name, to, OsStr::new(&number.to_string())),
        moved => moved,
    }
}

/// Makes a folder of this time, with a name that no command can guess.
fn make(above: &Folder, prefix: &str) -> io::Result<(String, Folder)> {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let name = format!("{prefix}{time}-{}", random()?);
    above.with_rights(|| mkdirat(above.handle(), &name, Mode::RWXU))?;
    let folder = above.enter(OsStr::new(&name))?;
    folder.give_to_owner_of(above)?;
    Ok((name, folder))
}

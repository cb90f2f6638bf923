//! A directory held open, whose entries are looked at without following links.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Gid, Mode, OFlags, RenameFlags, Stat, Uid, chmod, chownat, fstat,
    linkat, open, openat, readlinkat, renameat, renameat_with, statat, unlinkat,
};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::geteuid;

use super::bound::Allowance;

/// A directory, which does not have to be readable.
const DIRECTORY: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// What [`Folder::below_within`] fails with where no more may be opened.
pub(super) const EXCEEDED: Errno = Errno::DQUOT;

/// Whether an error says that there is nothing, or nothing but a link, on the way.
pub(super) fn is_absent(errno: Errno) -> bool {
    matches!(errno, Errno::NOENT | Errno::NOTDIR | Errno::LOOP)
}

/// A directory held open.
#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

impl Folder {
    /// Opens a directory whose path has no symbolic links.
    pub(super) fn root(path: &Path) -> Result<Self, Errno> {
        open(path, DIRECTORY, Mode::empty()).map(Self)
    }

    /// Whether it can be listed, or why not.
    pub(super) fn is_listable(&self) -> Result<(), Errno> {
        self.listing().map(drop)
    }

    fn listing(&self) -> Result<Dir, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Dir::new(openat(&self.0, ".", flags, Mode::empty())?)
    }

    /// Whether it is this user's.
    pub(super) fn is_own(&self) -> bool {
        fstat(&self.0).is_ok_and(|stat| stat.st_uid == geteuid().as_raw())
    }

    /// Lets its owner read, write and search it.
    pub(super) fn unlock(&self) -> Result<(), Errno> {
        let mode = Mode::from_raw_mode(fstat(&self.0)?.st_mode & 0o7777);
        chmod(proc_path(&self.0), mode | Mode::RWXU)
    }

    /// Does something in it, and once more with all rights of its owner if that is denied.
    pub(super) fn with_rights<T>(&self, act: impl Fn() -> Result<T, Errno>) -> Result<T, Errno> {
        match act() {
            Err(Errno::ACCESS) => {
                self.unlock()?;
                act()
            }
            acted => acted,
        }
    }

    /// Changes the permission bits of a file or directory in it.
    ///
    /// # Errors
    /// [`Errno::STALE`] when it is not this one any more.
    pub(super) fn set_mode(
        &self,
        name: &OsStr,
        is_same: impl Fn(&Stat) -> bool,
        mode: u32,
    ) -> Result<(), Errno> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let held = self.with_rights(|| openat(&self.0, name, flags, Mode::empty()))?;
        let found = fstat(&held)?;
        let kind = FileType::from_raw_mode(found.st_mode);
        if !is_same(&found) || !matches!(kind, FileType::RegularFile | FileType::Directory) {
            return Err(Errno::STALE);
        }
        chmod(proc_path(&held), Mode::from_raw_mode(mode))
    }

    /// Changes its own permission bits.
    pub(super) fn set_own_mode(&self, mode: u32) -> Result<(), Errno> {
        chmod(proc_path(&self.0), Mode::from_raw_mode(mode))
    }

    /// Gives it to a user and group, if this process may do that for others.
    pub(super) fn give_to(&self, user: u32, group: u32) -> Result<(), Errno> {
        if !geteuid().is_root() {
            return Ok(());
        }
        let (user, group) = (Some(Uid::from_raw(user)), Some(Gid::from_raw(group)));
        chownat(&self.0, "", user, group, AtFlags::EMPTY_PATH)
    }

    /// Gives it the owner and group of another directory.
    pub(super) fn give_to_owner_of(&self, other: &Self) -> Result<(), Errno> {
        let stat = fstat(&other.0)?;
        self.give_to(stat.st_uid, stat.st_gid)
    }

    /// Gives something in it another name, in another folder, which nothing has yet.
    ///
    /// # Errors
    /// [`Errno::EXIST`] when something has it.
    pub(super) fn move_to(&self, name: &OsStr, to: &Self, other: &OsStr) -> Result<(), Errno> {
        match renameat_with(&self.0, name, &to.0, other, RenameFlags::NOREPLACE) {
            // Some file systems can only link, which replaces nothing either.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                match linkat(&self.0, name, &to.0, other, AtFlags::empty()) {
                    Ok(()) => unlinkat(&self.0, name, AtFlags::empty()),
                    Err(Errno::EXIST) => Err(Errno::EXIST),
                    Err(_) if to.look(other).is_ok() => Err(Errno::EXIST),
                    Err(_) => renameat(&self.0, name, &to.0, other),
                }
            }
            moved => moved,
        }
    }

    /// The same, if so many further files can be opened.
    pub(super) fn with_spare(self, files: usize) -> Result<Self, Errno> {
        let spare = (0..files).map(|_| fcntl_dupfd_cloexec(&self.0, 0));
        spare.collect::<Result<Vec<_>, _>>()?;
        Ok(self)
    }

    /// Opens a directory in it, by a path of names only.
    pub(super) fn below(&self, path: &Path) -> Result<Self, Errno> {
        self.each_below(path, |folder, name| folder.enter(name))
    }

    /// The same, and takes the rights to it where its owner has none.
    pub(super) fn below_with_rights(&self, path: &Path) -> Result<Self, Errno> {
        self.each_below(path, |folder, name| folder.with_rights(|| folder.enter(name)))
    }

    fn each_below(
        &self,
        path: &Path,
        enter: impl Fn(&Self, &OsStr) -> Result<Self, Errno>,
    ) -> Result<Self, Errno> {
        let mut held = enter(self, OsStr::new("."))?;
        for part in path.components() {
            match part {
                Component::Normal(name) => held = enter(&held, name)?,
                Component::CurDir => {}
                _ => return Err(Errno::XDEV),
            }
        }
        Ok(held)
    }

    /// The same, if so many may still be opened as the path has names.
    pub(super) fn below_within(&self, path: &Path, left: &mut Allowance) -> Result<Self, Errno> {
        match left.take(path.components().count()) {
            true => self.below(path),
            false => Err(EXCEEDED),
        }
    }

    pub(super) fn enter(&self, name: &OsStr) -> Result<Self, Errno> {
        openat(&self.0, name, DIRECTORY, Mode::empty()).map(Self)
    }

    pub(super) fn handle(&self) -> &OwnedFd {
        &self.0
    }

    /// What has a name in it, itself and not where it leads to.
    pub(super) fn look(&self, name: &OsStr) -> Result<Stat, Errno> {
        statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)
    }

    pub(super) fn kind(&self, name: &str) -> Option<FileType> {
        self.look(OsStr::new(name)).ok().map(|stat| FileType::from_raw_mode(stat.st_mode))
    }

    /// Names and kinds of its entries, as long as some are left to be listed; or why it cannot
    /// be listed.
    pub(super) fn entries(
        &self,
        left: &mut Allowance,
    ) -> impl Iterator<Item = Result<(OsString, FileType), Errno>> {
        let (listing, refused) = match self.listing() {
            Ok(listing) => (Some(listing), None),
            Err(errno) => (None, Some(Err(errno))),
        };
        let named = listing.into_iter().flatten().map(|entry| {
            let entry = entry?;
            Ok((OsStr::from_bytes(entry.file_name().to_bytes()).to_owned(), entry.file_type()))
        });
        let is_own = |name: &OsString| name != "." && name != "..";
        let own = named.filter(move |entry| entry.as_ref().map_or(true, |(name, _)| is_own(name)));
        // Some file systems do not say the kind in a listing.
        let known = own.take_while(|_| left.take(1)).map(|entry| match entry? {
            (name, FileType::Unknown) => {
                let kind = self.look(&name).map(|stat| FileType::from_raw_mode(stat.st_mode));
                Ok((name, kind.unwrap_or(FileType::Unknown)))
            }
            known => Ok(known),
        });
        refused.into_iter().chain(known)
    }

    /// The content of a regular file of at most so many bytes.
    pub(super) fn read(&self, name: &OsStr, most: u64) -> Option<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = openat(&self.0, name, flags | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let found = fstat(&file).ok()?;
        let regular = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
        // What is too large is not read.
        u64::try_from(found.st_size).ok().filter(|size| *size <= most)?;
        let mut content = Vec::new();
        let mut bounded = File::from(file).take(most.saturating_add(1));
        (regular && bounded.read_to_end(&mut content).is_ok() && content.len() as u64 <= most)
            .then_some(content)
    }

    pub(super) fn link(&self, name: &OsStr) -> Result<PathBuf, Errno> {
        let target = readlinkat(&self.0, name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }
}

/// A path for what is held open, whose rights a handle of a path cannot change.
pub(super) fn proc_path(handle: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", handle.as_raw_fd())
}

//! A directory held open, whose entries are looked at without following links.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, open, openat, readlinkat, statat,
};
use rustix::io::{Errno, fcntl_dupfd_cloexec};

use super::bound::Allowance;

/// A directory.
const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

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

    /// The same, if so many further files can be opened.
    pub(super) fn with_spare(self, files: usize) -> Result<Self, Errno> {
        let spare = (0..files).map(|_| fcntl_dupfd_cloexec(&self.0, 0));
        spare.collect::<Result<Vec<_>, _>>()?;
        Ok(self)
    }

    /// Opens a directory in it, by a path of names only.
    pub(super) fn below(&self, path: &Path) -> Result<Self, Errno> {
        let mut held = self.enter(OsStr::new("."))?;
        for part in path.components() {
            match part {
                Component::Normal(name) => held = held.enter(name)?,
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
        let (listing, refused) = match Dir::read_from(&self.0) {
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

    /// The directories in it, as long as some are left to be listed.
    ///
    /// One that cannot be listed has none.
    pub(super) fn folders(&self, left: &mut Allowance) -> impl Iterator<Item = OsString> {
        let directory = |(_, kind): &(OsString, FileType)| *kind == FileType::Directory;
        self.entries(left).filter_map(Result::ok).filter(directory).map(|(name, _)| name)
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

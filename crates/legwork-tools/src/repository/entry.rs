//! What is at one place of a repository.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use legwork_port::core::Digest;
use rustix::fs::{FileType, Stat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::bytes::{Content, Name};
use super::folder::Folder;
use crate::linux::{Cover, Mount};

/// Bytes of a file that are kept; a larger one cannot be put back.
const FILE_MAX: u64 = 1 << 20;
/// Bytes of a file that are read for its digest.
const DIGEST_MAX: u64 = 16 << 20;

/// How much of files may still be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// Bytes that are kept.
    pub(super) kept: u64,
    /// Bytes of files that are not kept, for their digests.
    pub(super) digests: u64,
}

/// What is at a place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) stat: Identity,
}

/// Which file it is, and what changes when that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    mode: u32,
    pub(super) user: u32,
    pub(super) group: u32,
    size: i64,
    /// Since the epoch, in seconds and nanoseconds: of its content, and of all.
    modified: (i64, u64),
    changed: (i64, u64),
}

impl From<&Stat> for Identity {
    #[allow(clippy::useless_conversion, reason = "widths differ by architecture")]
    fn from(stat: &Stat) -> Self {
        let nanos = |nanos| u64::try_from(nanos).unwrap_or(0);
        Self {
            device: stat.st_dev,
            inode: stat.st_ino,
            mode: stat.st_mode,
            user: stat.st_uid,
            group: stat.st_gid,
            size: stat.st_size,
            modified: (stat.st_mtime.into(), nanos(stat.st_mtime_nsec)),
            changed: (stat.st_ctime.into(), nanos(stat.st_ctime_nsec)),
        }
    }
}

impl Identity {
    /// Whether the same file is at a path.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        let found = path.symlink_metadata();
        found.is_ok_and(|found| (self.device, self.inode) == (found.dev(), found.ino()))
    }

    /// Whether a stat is of the same file.
    pub(super) fn is_same(&self, stat: &Stat) -> bool {
        (self.device, self.inode) == (stat.st_dev, stat.st_ino)
    }
}

/// Its kind, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    Directory,
    File(Content),
    /// One that is too large to be kept.
    Large(Digest),
    /// One that cannot be read, or is too large for that.
    Unread,
    Link(Name),
    /// A device, a pipe, a socket.
    Other,
}

impl Entry {
    /// Looks at a name in a folder.
    ///
    /// `left` is lowered by what is read.
    ///
    /// # Errors
    /// When nothing has the name, or it cannot be looked at.
    pub(super) fn look(folder: &Folder, name: &OsStr, left: &mut Reading) -> Result<Self, Errno> {
        let stat = Identity::from(&folder.look(name)?);
        let kind = match FileType::from_raw_mode(stat.mode) {
            FileType::Directory => Kind::Directory,
            FileType::RegularFile => Kind::of_file(folder, name, &stat, left),
            FileType::Symlink => Kind::Link(folder.link(name)?.into()),
            _ => Kind::Other,
        };
        Ok(Self { kind, stat })
    }

    /// Looks at it again, to compare it with how it was.
    ///
    /// A file is read even if nothing of its stat changed: what is written through memory
    /// changes no time on some file systems.
    ///
    /// # Errors
    /// See [`Entry::look`].
    pub(super) fn look_again(
        folder: &Folder,
        name: &OsStr,
        before: Option<&Self>,
    ) -> Result<Self, Errno> {
        let size = before.map(|before| before.stat.size);
        let digests = match before.map(|before| &before.kind) {
            Some(Kind::Large(_)) => size.and_then(|size| u64::try_from(size).ok()).unwrap_or(0),
            _ => 0,
        };
        Self::look(folder, name, &mut Reading { kept: FILE_MAX, digests })
    }

    /// Bytes of it, if it is a file.
    pub(super) fn size(&self) -> u64 {
        u64::try_from(self.stat.size).unwrap_or(0)
    }

    /// Its permission bits.
    pub(super) fn mode(&self) -> u32 {
        self.stat.mode & 0o7777
    }

    /// Whether it is what another is, for Git.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        self.holds_the_same(other)
            && (!self.is_file() || self.is_executable() == other.is_executable())
    }

    /// Whether the contents are the same, executable or not.
    pub(super) fn holds_the_same(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Unread, _) => self.stat == other.stat,
            (Kind::Large(digest), Kind::File(content))
            | (Kind::File(content), Kind::Large(digest)) => content.digest() == *digest,
            // Who may write in a directory is not what it holds.
            (one, other) => one == other,
        }
    }

    fn is_file(&self) -> bool {
        matches!(self.kind, Kind::File(_) | Kind::Large(_) | Kind::Unread)
    }

    fn is_executable(&self) -> bool {
        self.stat.mode & 0o111 != 0
    }

    pub(super) fn covered(&self, place: PathBuf, cover: Cover) -> Mount {
        Mount::new(place, self.stat.device, self.stat.inode, cover)
    }
}

impl Kind {
    fn of_file(folder: &Folder, name: &OsStr, stat: &Identity, left: &mut Reading) -> Self {
        let size = u64::try_from(stat.size).unwrap_or(u64::MAX);
        let is_kept = size <= FILE_MAX.min(left.kept);
        let most = if is_kept { FILE_MAX.min(left.kept) } else { DIGEST_MAX.min(left.digests) };
        let Some(content) = folder.read(name, most) else { return Self::Unread };
        let (read, content) = (content.len() as u64, Content::from(content));
        if is_kept {
            left.kept = left.kept.saturating_sub(read);
            return Self::File(content);
        }
        left.digests = left.digests.saturating_sub(read);
        Self::Large(content.digest())
    }
}

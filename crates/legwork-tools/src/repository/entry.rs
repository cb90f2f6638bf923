//! What is at one place of a repository.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use legwork_port::sandbox::{Cover, Mount};
use rustix::fs::{FileType, Stat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::bytes::{Content, Name};
use super::folder::Folder;

/// Bytes of a file that are kept; a larger one cannot be put back.
const FILE_MAX: u64 = 1024 * 1024;
/// A file changed so shortly before it was looked at may change again unseen: the clock
/// of a file system ticks a few hundred times a second.
const TICK: Duration = Duration::from_millis(50);

/// What is at a place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) stat: Identity,
    /// Whether it may have changed again without another stat.
    fresh: bool,
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

/// Its kind, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    Directory,
    /// None where it is too large, or cannot be read.
    File(Option<Content>),
    Link(Name),
    /// A device, a pipe, a socket.
    Other,
}

impl Entry {
    /// Looks at a name in a folder; `known` is what was there before.
    ///
    /// # Errors
    /// When nothing has the name, or it cannot be looked at.
    pub(super) fn look(folder: &Folder, name: &OsStr, known: Option<&Self>) -> Result<Self, Errno> {
        Self::look_within(folder, name, known, FILE_MAX)
    }

    /// The same, and keeps no file of more than so many bytes.
    ///
    /// # Errors
    /// See [`Entry::look`].
    pub(super) fn look_within(
        folder: &Folder,
        name: &OsStr,
        known: Option<&Self>,
        most: u64,
    ) -> Result<Self, Errno> {
        let stat = folder.look(name)?;
        let stat = Identity::from(&stat);
        if let Some(known) = known.filter(|known| known.is_untouched(&stat)) {
            return Ok(known.clone());
        }
        let kind = match FileType::from_raw_mode(stat.mode) {
            FileType::Directory => Kind::Directory,
            FileType::RegularFile => {
                Kind::File(folder.read(name, FILE_MAX.min(most)).map(Content::from))
            }
            FileType::Symlink => Kind::Link(folder.link(name)?.into()),
            _ => Kind::Other,
        };
        Ok(Self { kind, fresh: is_fresh(&stat), stat })
    }

    /// Bytes that are kept of it.
    pub(super) fn kept(&self) -> u64 {
        match self.kind {
            Kind::File(Some(_)) => u64::try_from(self.stat.size).unwrap_or(0),
            _ => 0,
        }
    }

    /// Its permission bits.
    pub(super) fn mode(&self) -> u32 {
        self.stat.mode & 0o7777
    }

    /// Whether it is what another is, for Git.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            // Who may write in it is not what it holds.
            (Kind::Directory, Kind::Directory) => true,
            (Kind::Link(one), Kind::Link(other)) => one == other,
            (Kind::File(None), Kind::File(None)) => self.stat == other.stat,
            (one, other_kind) => one == other_kind && self.is_executable() == other.is_executable(),
        }
    }

    fn is_executable(&self) -> bool {
        self.stat.mode & 0o111 != 0
    }

    pub(super) fn covered(&self, place: PathBuf, cover: Cover) -> Mount {
        Mount::new(place, self.stat.device, self.stat.inode, cover)
    }

    fn is_untouched(&self, now: &Identity) -> bool {
        !self.fresh && self.stat == *now
    }
}

fn is_fresh(stat: &Identity) -> bool {
    let (seconds, nanos) = stat.changed;
    let seconds = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    seconds.saturating_add(Duration::from_nanos(nanos)).saturating_add(TICK) > now
}

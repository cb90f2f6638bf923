//! What is at one place of a repository.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use legwork_port::sandbox::{Cover, Mount};
use rustix::fs::{FileType, Stat};

use super::folder::Folder;

/// Bytes of a file that are kept; a larger one cannot be put back.
const FILE_MAX: u64 = 1024 * 1024;
/// A file changed so shortly before it was looked at may change again unseen: the clock
/// of a file system ticks a few hundred times a second.
const TICK: Duration = Duration::from_millis(50);

/// What is at a place.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) stat: Stat,
    /// Whether it may have changed again without another stat.
    fresh: bool,
}

/// Its kind, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Directory,
    /// None where it is too large, or cannot be read.
    File(Option<Arc<[u8]>>),
    Link(PathBuf),
    /// A device, a pipe, a socket.
    Other,
}

impl Entry {
    /// Looks at a name in a folder; `known` is what was there before.
    pub(super) fn look(folder: &Folder, name: &OsStr, known: Option<&Self>) -> Option<Self> {
        let stat = folder.look(name).ok()?;
        if let Some(known) = known.filter(|known| known.is_untouched(&stat)) {
            return Some(known.clone());
        }
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => Kind::Directory,
            FileType::RegularFile => Kind::File(folder.read(name, FILE_MAX).map(Arc::from)),
            FileType::Symlink => Kind::Link(folder.link(name)?),
            _ => Kind::Other,
        };
        Some(Self { kind, fresh: is_fresh(&stat), stat })
    }

    /// Its permission bits.
    pub(super) fn mode(&self) -> u32 {
        self.stat.st_mode & 0o7777
    }

    /// Whether it is what another is, for Git.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            // Who may write in it is not what it holds.
            (Kind::Directory, Kind::Directory) => true,
            (Kind::Link(one), Kind::Link(other)) => one == other,
            (Kind::File(None), Kind::File(None)) => {
                identity(&self.stat) == identity(&other.stat) && self.mode() == other.mode()
            }
            (one, other_kind) => one == other_kind && self.mode() == other.mode(),
        }
    }

    pub(super) fn covered(&self, place: PathBuf, cover: Cover) -> Mount {
        Mount::new(place, self.stat.st_dev, self.stat.st_ino, cover)
    }

    fn is_untouched(&self, now: &Stat) -> bool {
        !self.fresh && identity(&self.stat) == identity(now) && self.stat.st_mode == now.st_mode
    }
}

/// What changes when a file does.
fn identity(stat: &Stat) -> impl PartialEq + use<> {
    let changed = (stat.st_mtime, stat.st_mtime_nsec, stat.st_ctime, stat.st_ctime_nsec);
    (stat.st_dev, stat.st_ino, stat.st_size, changed)
}

#[allow(clippy::useless_conversion, reason = "its width differs by architecture")]
fn is_fresh(stat: &Stat) -> bool {
    let seconds = Duration::from_secs(u64::try_from(stat.st_ctime).unwrap_or(0));
    let nanos = Duration::from_nanos(u64::try_from(stat.st_ctime_nsec).unwrap_or(0));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    seconds.saturating_add(nanos).saturating_add(TICK) > now
}

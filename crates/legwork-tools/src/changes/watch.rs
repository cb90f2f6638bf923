//! What a command changed: the files of a workspace, looked at before and after.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FileType, Stat, readlinkat, statat};

use super::{Change, Kind, Side, Version, mode_of};
use crate::blocking::Stop;
use crate::tree::{Hidden, Rules, Tree};
use crate::workspace::{Access, Workspace};

/// Most files of a workspace that is watched.
const FILES_MAX: usize = 20_000;
/// Most bytes of one file, and of all together, that are kept in memory.
const FILE_MAX: u64 = 256 * 1024;
const ALL_MAX: u64 = 32 * 1024 * 1024;
/// Most changes of one command that are reported.
const CHANGES_MAX: usize = 500;
/// Most bytes of text that they hold together.
const TEXT_MAX: usize = 1024 * 1024;
/// A file changed so shortly before it was looked at may change again unseen: the clock
/// of a file system ticks a few hundred times a second.
const TICK: Duration = Duration::from_millis(50);

/// What is known of the files of a workspace; remembered from one command to the next.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    known: Mutex<Files>,
}

type Files = BTreeMap<String, Known>;

#[derive(Clone, Debug)]
struct Known {
    kind: Kind,
    mode: u32,
    identity: Identity,
    /// Whether it may have changed again without another identity.
    fresh: bool,
    /// None where it is too large.
    content: Option<Arc<[u8]>>,
}

impl Known {
    fn side(&self) -> Side<'_> {
        let content = self.content.as_deref();
        let version = match (content, self.kind) {
            (Some(target), Kind::Link) => Version::link(target),
            (Some(content), Kind::File) => Version::file(content, Some(self.mode)),
            (None, kind) => {
                Version { kind, ..Version::unread(self.identity.bytes, Some(self.mode)) }
            }
        };
        (version, content)
    }

    /// Whether a file of this identity still has the content that is known.
    fn holds(&self, identity: Identity) -> bool {
        self.identity == identity && !self.fresh
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// The files as they were before a command.
#[derive(Debug)]
pub(crate) struct Before(Files);

/// What a command changed.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) changes: Vec<Change>,
    /// How many more there were.
    pub(crate) left_out: usize,
}

impl Watch {
    /// Looks at the files before a command; none where there are too many, or the watch
    /// was called off.
    pub(crate) fn before(&self, workspace: &Workspace, stop: &Stop) -> Option<Before> {
        let files = self.look(workspace, stop)?;
        self.known().clone_from(&files);
        Some(Before(files))
    }

    /// Looks at them after it.
    pub(crate) fn after(
        &self,
        workspace: &Workspace,
        before: &Before,
        stop: &Stop,
    ) -> Option<Seen> {
        let after = self.look(workspace, stop)?;
        let mut seen = Seen::default();
        let mut text = 0_usize;
        let paths =
            before.0.keys().chain(after.keys().filter(|path| !before.0.contains_key(*path)));
        for path in paths {
            let Some(change) = change(path, before.0.get(path), after.get(path)) else { continue };
            let kept = change.kept();
            if seen.changes.len() >= CHANGES_MAX || text.saturating_add(kept) > TEXT_MAX {
                seen.left_out = seen.left_out.saturating_add(1);
                continue;
            }
            text = text.saturating_add(kept);
            seen.changes.push(change);
        }
        *self.known() = after;
        Some(seen)
    }

    fn known(&self) -> MutexGuard<'_, Files> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self, workspace: &Workspace, stop: &Stop) -> Option<Files> {
        let known = std::mem::take(&mut *self.known());
        let writable = workspace.homes().filter(|home| home.access() != Some(Access::ReadOnly));
        let mut look = Look { known, files: Files::new(), bytes: 0, now: now(), stop };
        for home in writable {
            let tree = Tree::open(&home).ok()?;
            let rules = Rules::on(Hidden::Shown);
            look.directory(&tree, Path::new(""), &rules)?;
        }
        Some(look.files)
    }
}

struct Look<'a> {
    known: Files,
    files: Files,
    bytes: u64,
    now: Duration,
    stop: &'a Stop,
}

impl Look<'_> {
    fn directory(&mut self, tree: &Tree, start: &Path, rules: &Rules) -> Option<()> {
        let mut waiting = vec![(start.to_owned(), rules.clone())];
        while let Some((path, rules)) = waiting.pop() {
            if self.stop.is_raised() {
                return None;
            }
            // What cannot be read cannot be watched; a command could not read it either.
            let Ok(contents) = tree.contents(&path, &rules) else { continue };
            let Ok(handle) = tree.handle(&path) else { continue };
            for entry in contents.entries {
                let path = path.join(&entry.name);
                match entry.kind {
                    _ if entry.name == ".git" => {}
                    FileType::Directory => waiting.push((path, contents.rules.clone())),
                    FileType::RegularFile | FileType::Symlink => {
                        self.file(tree, &handle, path)?;
                    }
                    _ => {}
                }
            }
        }
        Some(())
    }

    fn file(&mut self, tree: &Tree, above: &OwnedFd, path: PathBuf) -> Option<()> {
        if self.files.len() >= FILES_MAX {
            return None;
        }
        let name = path.file_name()?;
        let Ok(stat) = statat(above, name, AtFlags::SYMLINK_NOFOLLOW) else { return Some(()) };
        // The store that this process writes changes all the time.
        if tree.hides(&path, &stat) {
            return Some(());
        }
        let identity = Identity::of(&stat);
        let shown = tree.named(&path);
        let known = self.known.remove(&shown);
        let known = known.filter(|known| known.holds(identity));
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => Kind::Link,
            _ => Kind::File,
        };
        let content = match (known, kind) {
            (Some(known), _) => known.content,
            (None, Kind::Link) => {
                readlinkat(above, name, Vec::new()).ok().map(|target| target.into_bytes().into())
            }
            (None, Kind::File) => self.content(tree, &path, identity.bytes),
        };
        let held = content.as_ref().map_or(0, |content| content.len() as u64);
        self.bytes = self.bytes.saturating_add(held);
        let fresh = identity.changed_at().saturating_add(TICK) > self.now;
        let mode = mode_of(&stat);
        self.files.insert(shown, Known { kind, mode, identity, fresh, content });
        Some(())
    }

    fn content(&self, tree: &Tree, path: &Path, bytes: u64) -> Option<Arc<[u8]>> {
        if bytes > FILE_MAX || self.bytes.saturating_add(bytes) > ALL_MAX {
            return None;
        }
        let file = tree.file(path).ok()??.file;
        let mut content = Vec::new();
        file.take(FILE_MAX.saturating_add(1)).read_to_end(&mut content).ok()?;
        (content.len() as u64 <= FILE_MAX).then(|| content.into())
    }
}

impl Identity {
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_cast,
        reason = "their width differs by architecture"
    )]
    fn of(stat: &Stat) -> Self {
        Self {
            inode: u64::from(stat.st_ino),
            bytes: u64::try_from(stat.st_size).unwrap_or(0),
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    fn changed_at(self) -> Duration {
        let (seconds, nanos) = self.changed;
        let seconds = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
        seconds.saturating_add(Duration::from_nanos(u64::try_from(nanos).unwrap_or(0)))
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn change(path: &str, before: Option<&Known>, after: Option<&Known>) -> Option<Change> {
    if let (Some(before), Some(after)) = (before, after)
        && (before.kind, before.mode) == (after.kind, after.mode)
    {
        let read = before.content.is_some() || before.identity == after.identity;
        if read && before.content == after.content {
            return None;
        }
    }
    Some(Change::between(path.to_owned(), before.map(Known::side), after.map(Known::side)))
}

#[cfg(test)]
mod tests;

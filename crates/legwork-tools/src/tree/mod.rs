//! The directories of a workspace, opened without ever following a symlink; `list` and
//! `search` walk them.

mod ignored;
mod opener;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat, openat, openat2, statat,
};
use rustix::io::Errno;

use crate::secret;
pub(crate) use crate::workspace::line as shown;
use crate::workspace::{self, Workspace};
pub(crate) use ignored::{Hidden, Rules};
pub(crate) use opener::Opener;

/// One name of a directory.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: OsString,
    pub(crate) kind: FileType,
}

impl Entry {
    pub(crate) fn is_dir(&self) -> bool {
        self.kind == FileType::Directory
    }
}

/// A regular file that was opened.
#[derive(Debug)]
pub(crate) struct Regular {
    pub(crate) file: File,
    /// How many it held when it was opened.
    pub(crate) bytes: u64,
}

/// What a directory holds.
#[derive(Debug)]
pub(crate) struct Contents {
    /// Sorted by name, as bytes.
    pub(crate) entries: Vec<Entry>,
    /// How many were left out, hidden or ignored.
    pub(crate) left_out: usize,
    /// The rules for these entries and what is beneath them.
    pub(crate) rules: Rules,
}

/// The opened root of a workspace, with paths relative to it.
///
/// Paths are opened part by part or in one call, never through a symlink: one that is swapped in
/// under a walk is refused, and no walk can go round in circles.
#[derive(Debug)]
pub(crate) struct Tree {
    root: OwnedFd,
    secret: secret::Below,
    /// The prefix of its paths when they are shown; empty in the workspace.
    prefix: PathBuf,
}

impl Tree {
    pub(crate) fn open(workspace: &Workspace) -> Result<Self, workspace::Error> {
        let prefix = if workspace.is_additional() { workspace.root() } else { Path::new("") };
        let secret = secret::Below::new(workspace.secrets(), workspace.root());
        Ok(Self { root: workspace.open_dir(".")?, secret, prefix: prefix.to_owned() })
    }

    /// A path of the tree, such that it can be asked for; broken UTF-8 becomes U+FFFD.
    pub(crate) fn named(&self, path: &Path) -> String {
        self.prefix.join(path).to_string_lossy().into_owned()
    }

    /// A path of the tree as one line of text, such that it can be asked for.
    pub(crate) fn shown(&self, path: &Path) -> String {
        shown(&self.prefix.join(path))
    }

    /// The names in a directory that the rules from above and its own let by.
    pub(crate) fn contents(&self, path: &Path, rules: &Rules) -> io::Result<Contents> {
        let handle = self.resolve(path, OFlags::RDONLY | OFlags::DIRECTORY)?;
        if self.secret.hold(path) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        if workspace::is_kernel(&handle)? {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut entries = names(&handle)?;
        let rules = rules.within(&handle, path, &self.opened_for_rules(&handle, &entries));
        let all = entries.len();
        entries.retain(|entry| !rules.leave_out(&path.join(&entry.name), entry.is_dir()));
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let left_out = all.saturating_sub(entries.len());
        Ok(Contents { entries, left_out, rules })
    }

    /// A regular file; none when the path is something else by now.
    pub(crate) fn file(&self, path: &Path) -> io::Result<Option<Regular>> {
        Opener::new(self).file(path)
    }

    /// Whether what lies at a path is one that no tool opens.
    pub(crate) fn hides(&self, path: &Path, stat: &Stat) -> bool {
        self.secret.hold(path) || self.secret.are(stat)
    }

    /// A handle for asking about the names in a directory.
    pub(crate) fn handle(&self, path: &Path) -> io::Result<OwnedFd> {
        Ok(self.resolve(path, OFlags::PATH | OFlags::DIRECTORY)?)
    }

    /// The rules that reach a directory from above.
    ///
    /// Who asks for what is itself left out gets it: then none do.
    pub(crate) fn rules_above(&self, path: &Path) -> io::Result<Rules> {
        let mut rules = Rules::on(Hidden::LeftOut);
        let mut at = PathBuf::new();
        for part in path.components() {
            let handle = self.resolve(&at, OFlags::RDONLY | OFlags::DIRECTORY)?;
            // Not all the names: the files are tried by theirs.
            let tried = [".ignore", ".gitignore", ".git"].map(|name| tried(&handle, name));
            let found: Vec<Entry> = tried.into_iter().flatten().collect();
            rules = rules.within(&handle, &at, &self.opened_for_rules(&handle, &found));
            at.push(part);
            if rules.leave_out(&at, true) {
                rules = Rules::on(Hidden::LeftOut);
            }
        }
        Ok(rules)
    }

    /// Of the entries of a directory, those that say what is ignored and may be opened.
    fn opened_for_rules(&self, handle: &OwnedFd, entries: &[Entry]) -> Vec<Entry> {
        let says = |entry: &&Entry| {
            [".ignore", ".gitignore", ".git"].map(OsStr::new).contains(&&*entry.name)
        };
        let open = |entry: &&Entry| {
            let found = statat(handle, &entry.name, AtFlags::SYMLINK_NOFOLLOW);
            found.is_ok_and(|stat| !self.secret.are(&stat))
        };
        entries.iter().filter(says).filter(open).cloned().collect()
    }

    fn resolve(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        resolve(&self.root, path, flags)
    }
}

/// Opens what lies beneath a directory, with no symlink on the way.
fn resolve(root: &OwnedFd, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    match openat2(root, path, flags, Mode::empty(), beneath) {
        // An old kernel or a container's filter may not know the call.
        Err(Errno::NOSYS | Errno::PERM) => step_by_step(root, path, flags),
        other => other,
    }
}

fn step_by_step(root: &OwnedFd, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut held: Option<OwnedFd> = None;
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        if !matches!(part, Component::Normal(_) | Component::CurDir) {
            return Err(Errno::XDEV);
        }
        let above = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let flags = if parts.peek().is_some() { above } else { flags };
        let from = held.as_ref().unwrap_or(root);
        held = Some(openat(from, part.as_os_str(), flags, Mode::empty())?);
    }
    held.ok_or(Errno::NOENT)
}

/// Where something opened lies below the root; its symlinks are resolved.
pub(crate) fn located(workspace: &Workspace, opened: &impl AsFd, asked: &str) -> PathBuf {
    let link = format!("/proc/self/fd/{}", opened.as_fd().as_raw_fd());
    let real = std::fs::read_link(link).ok();
    let below = real.and_then(|real| real.strip_prefix(workspace.root()).ok().map(Path::to_owned));
    below.unwrap_or_else(|| spelled(workspace, asked))
}

/// The same by its spelling, where there is no procfs to ask.
fn spelled(workspace: &Workspace, asked: &str) -> PathBuf {
    let asked = Path::new(asked);
    let inner = asked.strip_prefix(workspace.root()).unwrap_or(asked);
    let mut path = PathBuf::new();
    for part in inner.components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir => {
                path.pop();
            }
            _ => {}
        }
    }
    path
}

fn tried(handle: &OwnedFd, name: &str) -> Option<Entry> {
    let found = statat(handle, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(Entry { name: name.into(), kind: FileType::from_raw_mode(found.st_mode) })
}

fn names(handle: &OwnedFd) -> Result<Vec<Entry>, Errno> {
    let mut entries = Vec::new();
    // Opened anew, a directory that may be read and not entered could not be listed.
    for entry in Dir::new(handle.try_clone().map_err(|_| Errno::MFILE)?)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") || workspace::is_draft(name.to_bytes()) {
            continue;
        }
        let kind = match entry.file_type() {
            // Some file systems report it only when asked for each name.
            FileType::Unknown => match statat(handle, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(found) => FileType::from_raw_mode(found.st_mode),
                Err(_) => continue,
            },
            kind => kind,
        };
        entries.push(Entry { name: OsStr::from_bytes(name.to_bytes()).to_owned(), kind });
    }
    Ok(entries)
}

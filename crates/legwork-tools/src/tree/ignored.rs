//! Which entries the ignore files of a tree leave out.

use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{FileType, Mode, OFlags, fstat, openat};

use super::Entry;

/// Most bytes of an ignore file that are heeded.
const FILE_MAX: u64 = 1024 * 1024;

/// The rules that hold for the entries of one directory.
#[derive(Clone, Debug)]
pub(crate) enum Rules {
    /// Nothing is left out.
    Off,
    /// Ignored entries are left out, and hidden ones as is said.
    On(Hidden, Option<Arc<Level>>),
}

/// What becomes of entries whose names begin with a dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hidden {
    LeftOut,
    Shown,
}

/// The ignore files of one directory, and those of the directories above it.
#[derive(Debug)]
pub(crate) struct Level {
    ignore: Gitignore,
    gitignore: Gitignore,
    /// Whether a repository starts here: git's files above do not reach in.
    repository: bool,
    above: Option<Arc<Level>>,
}

impl Rules {
    /// No ignore file yet.
    pub(crate) fn on(hidden: Hidden) -> Self {
        Self::On(hidden, None)
    }

    /// The rules within an opened directory that holds these entries.
    pub(crate) fn within(&self, handle: &OwnedFd, path: &Path, entries: &[Entry]) -> Self {
        let Self::On(hidden, above) = self else {
            return Self::Off;
        };
        let named = |name: &str| entries.iter().find(|entry| entry.name == name);
        // Opening a pipe would unblock a process that waits to write into it.
        let file = |name| named(name).is_some_and(|entry| entry.kind == FileType::RegularFile);
        let (ignore, gitignore) = (file(".ignore"), file(".gitignore"));
        let repository = named(".git").is_some();
        if !(ignore || gitignore || repository) {
            return self.clone();
        }
        let load = |there: bool, name: &str| {
            if there { matcher(handle, path, name) } else { Gitignore::empty() }
        };
        let level = Level {
            ignore: load(ignore, ".ignore"),
            gitignore: load(gitignore, ".gitignore"),
            repository,
            above: above.clone(),
        };
        Self::On(*hidden, Some(Arc::new(level)))
    }

    /// Whether an entry is left out; its path is relative to the workspace.
    pub(crate) fn leave_out(&self, path: &Path, is_dir: bool) -> bool {
        let Self::On(hidden, level) = self else {
            return false;
        };
        let (mut ignore, mut git, mut at_git) = (Match::None, Match::None, true);
        for level in std::iter::successors(level.as_deref(), |level| level.above.as_deref()) {
            if ignore.is_none() {
                ignore = level.ignore.matched(path, is_dir);
            }
            if git.is_none() && at_git {
                git = level.gitignore.matched(path, is_dir);
            }
            at_git = at_git && !level.repository;
        }
        match ignore.or(git) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None if *hidden == Hidden::Shown => false,
            Match::None => path.file_name().is_some_and(|name| name.as_bytes().starts_with(b".")),
        }
    }
}

/// What one ignore file says; lines that are not patterns are ignored.
fn matcher(handle: &OwnedFd, dir: &Path, name: &str) -> Gitignore {
    let dir = if dir.as_os_str().is_empty() { PathBuf::from(".") } else { dir.to_owned() };
    let mut builder = GitignoreBuilder::new(dir);
    let text = content(handle, name).unwrap_or_default();
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

fn content(handle: &OwnedFd, name: &str) -> Option<String> {
    // Non-blocking and without symlinks: the name may be anything.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(handle, name, flags | OFlags::NOCTTY, Mode::empty()).ok()?;
    let kind = FileType::from_raw_mode(fstat(&opened).ok()?.st_mode);
    let mut bytes = Vec::new();
    if kind == FileType::RegularFile {
        std::fs::File::from(opened).take(FILE_MAX).read_to_end(&mut bytes).ok()?;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

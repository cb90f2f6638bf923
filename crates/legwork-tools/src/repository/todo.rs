//! What a stopped rebase is to do next: it may hold commands, which `git rebase --continue`
//! runs.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;

use rustix::fs::FileType;
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::folder::Folder;
use super::restore::{remove, write};

/// The folder of a stopped rebase, and its list, in a repository.
const REBASE: &str = "rebase-merge";
const TODO: &str = "git-rebase-todo";
/// Most bytes of a list that is read.
const TODO_MAX: u64 = 16 << 20;

/// The commands in the list of a stopped rebase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Todo {
    /// These lines; none where no rebase is under way.
    Lines(BTreeSet<Vec<u8>>),
    /// It is no file that can be read: a link, or a huge one.
    Unreadable,
}

impl Todo {
    /// The list of a repository.
    pub(super) fn of(git: &Folder) -> Self {
        let none = Self::Lines(BTreeSet::new());
        let Ok(rebase) = git.enter(OsStr::new(REBASE)) else {
            return if git.kind(REBASE).is_some() { Self::Unreadable } else { none };
        };
        match (rebase.kind(TODO), rebase.read(OsStr::new(TODO), TODO_MAX)) {
            (None, _) => none,
            (Some(_), None) => Self::Unreadable,
            (Some(_), Some(text)) => Self::Lines(commands(&text).map(<[u8]>::to_vec).collect()),
        }
    }

    /// Whether it would run something that an earlier one would not.
    pub(super) fn runs_more_than(&self, before: &Self) -> bool {
        match (self, before) {
            (Self::Lines(now), Self::Lines(before)) => !now.is_subset(before),
            (now, before) => now != before,
        }
    }

    /// Takes out of the list of a repository what this one does not have.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn keep_in(&self, git: &Folder) -> io::Result<()> {
        if git.kind(REBASE).is_some_and(|kind| kind != FileType::Directory) {
            return remove(git, OsStr::new(REBASE));
        }
        let (rebase, name) = (git.enter(OsStr::new(REBASE))?, OsStr::new(TODO));
        let (Some(text), Some(entry)) =
            (rebase.read(name, TODO_MAX), Entry::look(&rebase, name, None))
        else {
            return remove(&rebase, name);
        };
        let known = |line: &[u8]| match self {
            Self::Lines(lines) => lines.contains(line),
            Self::Unreadable => false,
        };
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        let left = lines.filter(|line| command(line).is_none_or(known));
        write(&rebase, name, &entry, &left.collect::<Vec<_>>().concat())
    }
}

fn commands(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').filter_map(command)
}

/// A line that runs a command, without what is around it; none if it does something else.
fn command(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let word = line.split(u8::is_ascii_whitespace).next()?;
    (word == b"exec" || word == b"x").then_some(line)
}

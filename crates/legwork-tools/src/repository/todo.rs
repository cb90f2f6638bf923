//! What an operation of Git that stopped is to do next: it may hold commands, which
//! `git rebase --continue` and its like run.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;

use rustix::fs::FileType;
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::folder::Folder;
use super::remove::remove;
use super::restore::write;

/// A file of a stopped operation.
struct Place {
    folder: &'static str,
    file: &'static str,
    /// What of a line Git runs; none if it runs nothing for it.
    command: fn(&[u8]) -> Option<&[u8]>,
    if_empty: IfEmpty,
}

/// What becomes of a file of which nothing is left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IfEmpty {
    Stays,
    Goes,
}

/// The files that hold commands: the list of a rebase, and where a strategy is named, which
/// Git takes for a program if it is a path.
const PLACES: [Place; 3] = [
    Place {
        folder: "rebase-merge",
        file: "git-rebase-todo",
        command: of_list,
        if_empty: IfEmpty::Stays,
    },
    Place { folder: "rebase-merge", file: "strategy", command: with_path, if_empty: IfEmpty::Goes },
    Place { folder: "sequencer", file: "opts", command: with_path, if_empty: IfEmpty::Goes },
];
/// Most bytes of a file that are read.
const FILE_MAX: u64 = 4 << 20;
/// Most different commands in a file.
const COMMANDS_MAX: usize = 10_000;

/// The commands in what a stopped operation is to do next, as [`PLACES`] lists them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Todo(Vec<Commands>);

/// The commands in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Commands {
    /// These lines; none where there is no such file.
    Lines(BTreeSet<Vec<u8>>),
    /// It cannot be read: a link, or larger than is kept.
    Unreadable,
}

impl Todo {
    /// What a repository is to do next; none if that is more than may be read.
    ///
    /// `most` is how many bytes may be read, and is lowered by those that are.
    pub(super) fn of(git: &Folder, most: &mut u64) -> Option<Self> {
        let of_place = |place: &Place| {
            let (commands, read) = place.commands(git, FILE_MAX.min(*most));
            let is_over = commands == Commands::Unreadable && *most < FILE_MAX;
            *most = most.saturating_sub(read);
            (!is_over).then_some(commands)
        };
        PLACES.iter().map(of_place).collect::<Option<_>>().map(Self)
    }

    /// What a repository is to do next now.
    pub(super) fn now(git: &Folder) -> Self {
        Self(PLACES.iter().map(|place| place.commands(git, FILE_MAX).0).collect())
    }

    /// Whether some of it cannot be read.
    pub(super) fn is_unreadable(&self) -> bool {
        self.0.contains(&Commands::Unreadable)
    }

    /// Whether it would run something that an earlier one would not.
    pub(super) fn runs_more_than(&self, before: &Self) -> bool {
        self.0.iter().zip(&before.0).any(|(now, before)| now.has_more_than(before))
    }

    /// Takes out of a repository what this one does not have.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn keep_in(&self, git: &Folder) -> io::Result<()> {
        for (place, known) in PLACES.iter().zip(&self.0) {
            if place.commands(git, FILE_MAX).0.has_more_than(known) {
                place.keep(git, known)?;
            }
        }
        Ok(())
    }
}

impl Commands {
    fn has_more_than(&self, before: &Self) -> bool {
        match (self, before) {
            (Self::Lines(now), Self::Lines(before)) => !now.is_subset(before),
            (now, before) => now != before,
        }
    }
}

impl Place {
    /// The commands, and how many bytes were read.
    fn commands(&self, git: &Folder, most: u64) -> (Commands, u64) {
        let none = (Commands::Lines(BTreeSet::new()), 0);
        let Ok(folder) = git.enter(OsStr::new(self.folder)) else {
            let is_there = git.kind(self.folder).is_some();
            return if is_there { (Commands::Unreadable, 0) } else { none };
        };
        match (folder.kind(self.file), folder.read(OsStr::new(self.file), most)) {
            (None, _) => none,
            (Some(_), None) => (Commands::Unreadable, 0),
            (Some(_), Some(text)) => {
                let lines = text.split(|byte| *byte == b'\n').filter_map(self.command);
                let read = text.len() as u64;
                let mut kept = BTreeSet::new();
                for line in lines {
                    if kept.len() >= COMMANDS_MAX && !kept.contains(line) {
                        return (Commands::Unreadable, read);
                    }
                    kept.insert(line.to_vec());
                }
                (Commands::Lines(kept), read)
            }
        }
    }

    /// Takes out all lines with a command that is not known.
    fn keep(&self, git: &Folder, known: &Commands) -> io::Result<()> {
        if git.kind(self.folder).is_some_and(|kind| kind != FileType::Directory) {
            return remove(git, OsStr::new(self.folder));
        }
        let (folder, name) = (git.enter(OsStr::new(self.folder))?, OsStr::new(self.file));
        let read = folder.read(name, FILE_MAX);
        let (Some(text), Ok(entry)) = (read, Entry::look(&folder, name, None)) else {
            return remove(&folder, name);
        };
        let is_known = |line: &[u8]| match known {
            Commands::Lines(lines) => lines.contains(line),
            Commands::Unreadable => false,
        };
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        let left = lines.filter(|line| (self.command)(line).is_none_or(is_known));
        let left = left.collect::<Vec<_>>().concat();
        match (left.is_empty(), self.if_empty) {
            (true, IfEmpty::Goes) => remove(&folder, name),
            _ => write(&folder, name, &entry, &left),
        }
    }
}

/// Of a list, `exec` and `x`, without what is around the line.
fn of_list(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let word = line.split(u8::is_ascii_whitespace).next()?;
    (word == b"exec" || word == b"x").then_some(line)
}

/// A line that may name a path: by a slash, or by what a file of settings quotes one with.
fn with_path(line: &[u8]) -> Option<&[u8]> {
    line.iter().any(|byte| matches!(byte, b'/' | b'\\' | b'"')).then(|| line.trim_ascii())
}

//! What an operation of Git that stopped is to do next: it may hold commands, which
//! `git rebase --continue` and its like run.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::aside::Aside;
use super::draft::Draft;
use super::entry::Entry;
use super::folder::{Folder, is_absent};

/// A file of a stopped operation.
struct OperationFile {
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
const OPERATION_FILES: [OperationFile; 3] = [
    OperationFile {
        folder: REBASE,
        file: "git-rebase-todo",
        command: of_list,
        if_empty: IfEmpty::Stays,
    },
    OperationFile { folder: REBASE, file: "strategy", command: with_path, if_empty: IfEmpty::Goes },
    OperationFile {
        folder: "sequencer",
        file: "opts",
        command: of_settings,
        if_empty: IfEmpty::Goes,
    },
];
/// Where the list of a rebase lies.
pub(super) const REBASE: &str = "rebase-merge";
/// Most bytes of a file that are read.
const FILE_MAX: u64 = 4 << 20;
/// Most different commands in a file.
const COMMANDS_MAX: usize = 10_000;

/// The commands in what a stopped operation is to do next, as [`OPERATION_FILES`] lists them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Todo(Vec<Commands>);

/// The commands in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Commands {
    /// These lines; none if there is no such file.
    Lines(BTreeSet<Vec<u8>>),
    /// It is not one that Git would have written: a link, or larger than is kept.
    Odd,
    /// It cannot be looked at.
    Unknown,
}

impl Todo {
    /// What a repository is to do next; none if that cannot be looked at, or is more than may
    /// be read.
    ///
    /// `most` is how many bytes may be read, and is lowered by those that are.
    pub(super) fn of(git: &Folder, most: &mut u64) -> Option<Self> {
        let of_place = |place: &OperationFile| {
            let (commands, read) = place.commands(git, FILE_MAX.min(*most));
            let is_over = commands == Commands::Odd && *most < FILE_MAX;
            *most = most.saturating_sub(read);
            (!is_over && commands != Commands::Unknown).then_some(commands)
        };
        OPERATION_FILES.iter().map(of_place).collect::<Option<_>>().map(Self)
    }

    /// What a repository is to do next now, with rights that a command took given back.
    pub(super) fn now(git: &Folder) -> Self {
        OPERATION_FILES.iter().for_each(|place| place.unlock(git));
        Self(OPERATION_FILES.iter().map(|place| place.commands(git, FILE_MAX).0).collect())
    }

    /// The same with what an earlier one has, too.
    pub(super) fn with(self, known: &Self) -> Self {
        let both = |(now, known): (Commands, &Commands)| match (now, known) {
            (Commands::Lines(now), Commands::Lines(known)) => Commands::Lines(&now | known),
            (Commands::Odd, Commands::Lines(_)) => known.clone(),
            (now, _) => now,
        };
        Self(self.0.into_iter().zip(&known.0).map(both).collect())
    }

    /// Whether some of it cannot be looked at.
    pub(super) fn is_unknown(&self) -> bool {
        self.0.contains(&Commands::Unknown)
    }

    /// Whether some of it is not kept as it is.
    pub(super) fn is_odd(&self) -> bool {
        self.0.contains(&Commands::Odd)
    }

    /// Whether it would run something that an earlier one would not.
    pub(super) fn runs_more_than(&self, before: &Self) -> bool {
        self.0.iter().zip(&before.0).any(|(now, before)| now.has_more_than(before))
    }

    /// Takes out of a repository, which has a path, what this one does not have; the folder
    /// that the files of before were moved to.
    ///
    /// # Errors
    /// When it cannot be written, or not be set aside.
    pub(super) fn keep_in(
        &self,
        git: &Folder,
        path: &Path,
        aside: &mut Aside<'_>,
    ) -> io::Result<Option<PathBuf>> {
        let mut moved = None;
        for (place, known) in OPERATION_FILES.iter().zip(&self.0) {
            if place.commands(git, FILE_MAX).0.has_more_than(known) {
                moved = place.keep((git, path), known, aside)?.or(moved);
            }
        }
        Ok(moved)
    }
}

impl Commands {
    fn has_more_than(&self, before: &Self) -> bool {
        match (self, before) {
            (Self::Lines(now), Self::Lines(before)) => !now.is_subset(before),
            (Self::Odd, Self::Lines(_)) => true,
            (Self::Unknown, _) | (_, Self::Odd | Self::Unknown) => false,
        }
    }
}

impl OperationFile {
    /// Lets the owner read the file.
    fn unlock(&self, git: &Folder) {
        let name = OsStr::new(self.file);
        let Ok(folder) = git.with_rights(|| git.enter(OsStr::new(self.folder))) else { return };
        let Ok(found) = folder.with_rights(|| folder.look(name)) else { return };
        let mode = found.st_mode & 0o7777;
        if mode & 0o400 == 0 {
            // What cannot be read then is reported.
            let _ = folder.set_mode(name, |_| true, mode | 0o600);
        }
    }

    /// The commands, and how many bytes were read.
    fn commands(&self, git: &Folder, most: u64) -> (Commands, u64) {
        let none = (Commands::Lines(BTreeSet::new()), 0);
        let folder = match git.enter(OsStr::new(self.folder)) {
            Ok(folder) => folder,
            Err(Errno::NOENT) => return none,
            Err(errno) if is_absent(errno) => return (Commands::Odd, 0),
            Err(_) => return (Commands::Unknown, 0),
        };
        let name = OsStr::new(self.file);
        let found = match folder.look(name) {
            Ok(found) => found,
            Err(Errno::NOENT) => return none,
            Err(_) => return (Commands::Unknown, 0),
        };
        let is_small = u64::try_from(found.st_size).is_ok_and(|size| size <= most);
        let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
        match folder.read(name, most) {
            None if is_file && is_small => (Commands::Unknown, 0),
            None => (Commands::Odd, 0),
            Some(text) => {
                let lines = text.split(|byte| *byte == b'\n').filter_map(self.command);
                let read = text.len() as u64;
                let mut kept = BTreeSet::new();
                for line in lines {
                    if kept.len() >= COMMANDS_MAX && !kept.contains(line) {
                        return (Commands::Odd, read);
                    }
                    kept.insert(line.to_vec());
                }
                (Commands::Lines(kept), read)
            }
        }
    }

    /// Takes out all lines with a command that is not known.
    fn keep(
        &self,
        (git, path): (&Folder, &Path),
        known: &Commands,
        aside: &mut Aside<'_>,
    ) -> io::Result<Option<PathBuf>> {
        let path = path.join(self.folder);
        if git.kind(self.folder).is_some_and(|kind| kind != FileType::Directory) {
            return aside.take(git, &path);
        }
        let (folder, name) = (git.enter(OsStr::new(self.folder))?, OsStr::new(self.file));
        let read = folder.read(name, FILE_MAX);
        let path = path.join(name);
        let (Some(text), Ok(entry)) = (read, Entry::look_again(&folder, name, None)) else {
            return aside.take(&folder, &path);
        };
        let is_known = |line: &[u8]| match known {
            Commands::Lines(lines) => lines.contains(line),
            Commands::Odd | Commands::Unknown => false,
        };
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        let left = lines.filter(|line| (self.command)(line).is_none_or(is_known));
        let left = left.collect::<Vec<_>>().concat();
        let stays = !left.is_empty() || self.if_empty == IfEmpty::Stays;
        let draft = stays.then(|| Draft::write(&folder, &entry, &left)).transpose()?;
        let moved = aside.take(&folder, &path)?;
        if let Some(draft) = draft {
            draft.publish(&folder, name)?;
        }
        Ok(moved)
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
    let line = line.trim_ascii();
    line.iter().any(|byte| matches!(byte, b'/' | b'\\' | b'"')).then_some(line)
}

/// The same of a file of settings, in which options of a strategy may name places in the tree:
/// that runs nothing.
fn of_settings(line: &[u8]) -> Option<&[u8]> {
    let line = with_path(line)?;
    let option = line.strip_prefix(b"strategy-option").map(<[u8]>::trim_ascii_start);
    let is_option = option.is_some_and(|rest| rest.starts_with(b"="));
    let is_quoted = line.iter().any(|byte| matches!(byte, b'\\' | b'"'));
    (!is_option || is_quoted).then_some(line)
}

//! The text of a file, and what is wrong at a place of it.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::locate::shown;
use crate::error::Error;

/// What to do about most that is wrong.
pub(super) const SEE_KEYS: &str = "`legwork help config` lists all keys";

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The user's: it is obeyed.
    User,
    /// The project's: it came with a repository, or an agent wrote it.
    Project,
    /// One of permissions, which a flag names.
    Flag,
}

/// The text of a file.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) path: PathBuf,
    pub(super) text: &'a str,
    pub(super) whose: Whose,
    /// Where lines end: each value is asked for its line.
    ends: Vec<usize>,
}

impl<'a> Document<'a> {
    pub(super) fn new(path: PathBuf, text: &'a str, whose: Whose) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at).collect();
        Self { path, text, whose, ends }
    }

    /// The line of a byte, counted from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.ends.partition_point(|end| *end < at) + 1
    }

    /// The folder that holds the file.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// An error at a place; neither message nor hint may hold a value that may be a secret.
    pub(super) fn problem(&self, at: &Range<usize>, message: &str, hint: &str) -> Error {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let column = before.rsplit('\n').next().unwrap_or_default();
        let (line, column) = (self.line(at.start), column.chars().count() + 1);
        Error::usage(format!("{}:{line}:{column}: {message}", shown(&self.path)), hint)
    }
}

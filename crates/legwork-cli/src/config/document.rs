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
}

/// The text of a file.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) path: PathBuf,
    pub(super) text: &'a str,
    pub(super) whose: Whose,
}

impl Document<'_> {
    /// The line of a byte, counted from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.before(at).matches('\n').count() + 1
    }

    /// The folder that holds the file.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// An error at a place; neither message nor hint may hold a value that may be a secret.
    pub(super) fn problem(&self, at: &Range<usize>, message: &str, hint: &str) -> Error {
        let column = self.before(at.start).rsplit('\n').next().unwrap_or_default();
        let (line, column) = (self.line(at.start), column.chars().count() + 1);
        Error::usage(format!("{}:{line}:{column}: {message}", shown(&self.path)), hint)
    }

    fn before(&self, at: usize) -> &str {
        self.text.get(..at).unwrap_or(self.text)
    }
}

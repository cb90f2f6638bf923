//! Bounds of looking at repositories: what lies beyond is reported.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why not all repositories of a directory are protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Bound {
    Folders,
    Repositories,
    Entries,
    Indexes,
    Paths,
    Hooks,
    Rebases,
    Kept,
    Unreadable,
}

impl Bound {
    /// Whether there may be repositories that were not found.
    pub(super) fn hides_repositories(self) -> bool {
        !matches!(self, Self::Hooks | Self::Rebases | Self::Kept)
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folders => "there are more folders than are looked through",
            Self::Repositories => "there are more of them than are looked at",
            Self::Entries => "folders have more entries than are looked through",
            Self::Indexes => "an index cannot be read, or names more than is looked at",
            Self::Paths => "their paths are longer than are kept, or lead through too many links",
            Self::Hooks => "there are more hooks, or deeper folders of hooks, than are kept",
            Self::Rebases => "the list of a stopped rebase is larger than is kept",
            Self::Kept => "their hooks and configuration are larger than is kept",
            Self::Unreadable => "a folder or file there cannot be read",
        })
    }
}

/// A number that is taken from, such as entries that may still be listed.
#[derive(Debug)]
pub(super) struct Allowance {
    left: usize,
    is_exceeded: bool,
}

impl Allowance {
    pub(super) fn new(most: usize) -> Self {
        Self { left: most, is_exceeded: false }
    }

    /// Takes some, if so many are left.
    pub(super) fn take(&mut self, number: usize) -> bool {
        match self.left.checked_sub(number) {
            Some(left) => self.left = left,
            None => {
                self.is_exceeded = true;
                return false;
            }
        }
        true
    }

    /// Whether more was wanted than was left.
    pub(super) fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }
}

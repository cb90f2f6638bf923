//! Stores in SQLite files.

use std::sync::Arc;

use legwork_store::sqlite::{Commits, Options};

use super::Opened;

pub(super) fn grouped(path: &str) -> Opened {
    open(path, Commits::Grouped)
}

pub(super) fn inline(path: &str) -> Opened {
    open(path, Commits::Inline)
}

fn open(path: &str, commits: Commits) -> Opened {
    Ok(Arc::new(Options::new().commits(commits).open(path)?))
}

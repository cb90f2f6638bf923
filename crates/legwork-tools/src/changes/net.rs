//! The changes of a session put together: each file before the first and after the last.

use serde::Serialize;

use super::chain::{Chain, chains};
use super::{Change, Version, patch};

/// What became of a file over several changes that follow one another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FileChange {
    /// The path from the root of the workspace; absolute where it lies elsewhere.
    pub path: String,
    /// What was there before the first change; none if there was no file.
    pub before: Option<Version>,
    /// What was there after the last; none if there was no file.
    pub after: Option<Version>,
    /// The number of calls' changes that it sums up.
    pub changes: usize,
    /// Whether something else had changed the file since the changes before.
    pub changed_between: bool,
    /// The patch; none where what was there is not known, or is too much.
    pub patch: Option<String>,
    /// Lines that the patch adds; none of a binary file.
    pub added: u64,
    /// The number of lines that it removes.
    pub removed: u64,
}

/// Puts changes together, given in the order in which they were made.
///
/// Files come in the order of their first change. Where something else changed a file in
/// between, what came before and after is listed separately. A file that holds in the end what it
/// held at the start is left out.
#[must_use]
pub fn net(changes: impl IntoIterator<Item = Change>) -> Vec<FileChange> {
    chains(changes).into_iter().flat_map(|(path, chains)| file_changes(path, chains)).collect()
}

fn file_changes(path: String, chains: Vec<Chain>) -> impl Iterator<Item = FileChange> {
    chains.into_iter().enumerate().filter_map(move |(at, chain)| {
        let changed_between = at > 0;
        (!chain.is_nothing()).then(|| file(&chain, &path, changed_between))
    })
}

fn file(chain: &Chain, path: &str, changed_between: bool) -> FileChange {
    let patch = patch::of(path, chain);
    let (added, removed) = patch.as_ref().map_or((0, 0), |patch| (patch.added, patch.removed));
    // Its bytes are in the patch.
    let version = |version: Option<&Version>| {
        version.map(|version| Version { content: None, ..version.clone() })
    };
    FileChange {
        path: path.to_owned(),
        before: version(chain.before()),
        after: version(chain.after()),
        changes: chain.len(),
        changed_between,
        patch: patch.map(|patch| patch.text),
        added,
        removed,
    }
}

//! The changes of a session put together: each file before the first and after the last.

use serde::Serialize;

use super::lines::Changed;
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
    /// How many changes it took.
    pub changes: usize,
    /// Whether something else had changed the file since the changes told before.
    pub changed_between: bool,
    /// The patch; none where what was there is no text, is not known, or is too much.
    pub patch: Option<String>,
    /// Lines that the patch adds.
    pub added: u64,
    /// Lines that it removes.
    pub removed: u64,
}

/// Puts changes together, given in the order in which they were made.
///
/// Files come in the order of their first change. Where something else changed a file in
/// between, what came before and after is told apart. A file that holds in the end what it
/// held at the start is left out.
#[must_use]
pub fn net(changes: impl IntoIterator<Item = Change>) -> Vec<FileChange> {
    let mut files: Vec<(String, Vec<Chain>)> = Vec::new();
    for change in changes {
        let at = files.iter().position(|(path, _)| *path == change.path);
        let at = at.unwrap_or_else(|| {
            files.push((change.path.clone(), Vec::new()));
            files.len().saturating_sub(1)
        });
        if let Some((_, chains)) = files.get_mut(at) {
            match chains.last_mut().filter(|chain| chain.goes_on_with(&change)) {
                Some(chain) => chain.push(&change),
                None => chains.push(Chain::new(&change)),
            }
        }
    }
    files.into_iter().flat_map(|(path, chains)| told(path, chains)).collect()
}

/// Changes of one file, each of what the one before had left.
struct Chain {
    before: Option<Version>,
    after: Option<Version>,
    changes: usize,
    /// None once a change is not known line by line.
    lines: Option<Changed>,
}

impl Chain {
    fn new(change: &Change) -> Self {
        let lines = change.lines.as_ref().map(|lines| Changed::new(lines.of));
        let mut chain = Self { before: change.before.clone(), after: None, changes: 0, lines };
        chain.push(change);
        chain
    }

    /// Whether a change found what the last one had left.
    fn goes_on_with(&self, change: &Change) -> bool {
        match (&self.after, &change.before) {
            (Some(after), Some(before)) => after.may_be(before),
            (after, before) => after.is_none() && before.is_none(),
        }
    }

    fn push(&mut self, change: &Change) {
        self.changes = self.changes.saturating_add(1);
        self.after.clone_from(&change.after);
        self.lines = self.lines.take().and_then(|mut file| {
            let fits = change.lines.as_ref().is_some_and(|lines| file.apply(lines));
            fits.then_some(file)
        });
    }
}

fn told(path: String, chains: Vec<Chain>) -> impl Iterator<Item = FileChange> {
    let mut first = true;
    chains.into_iter().filter_map(move |chain| {
        let changed_between = !std::mem::replace(&mut first, false);
        // Without a digest nobody can say that two versions are the same.
        let known = |version: &Version| version.digest.is_some();
        let same = chain.before == chain.after && chain.before.as_ref().is_none_or(known);
        (!same).then(|| chain.told(&path, changed_between))
    })
}

impl Chain {
    fn told(self, path: &str, changed_between: bool) -> FileChange {
        let hunks = self.lines.as_ref().map(|lines| {
            let (old, new) = lines.both();
            patch::hunks(&old, &new)
        });
        let (added, taken) = hunks.as_ref().map_or((0, 0), |hunks| (hunks.added, hunks.removed));
        let (created, removed) = (self.before.is_none(), self.after.is_none());
        FileChange {
            path: path.to_owned(),
            patch: hunks.map(|hunks| patch::of(path, created, removed, &hunks)),
            before: self.before,
            after: self.after,
            changes: self.changes,
            changed_between,
            added,
            removed: taken,
        }
    }
}

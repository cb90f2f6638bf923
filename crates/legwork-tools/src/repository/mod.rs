//! Keeps what makes Git run programs as it was before each command.
//!
//! Behind bubblewrap it is read-only. In every sandbox it is compared after each
//! command, and put back where it changed. What is looked at and put back is
//! opened by descriptor, and no symbolic link is followed.

mod aside;
mod bound;
mod bytes;
mod compare;
mod entry;
mod find;
mod folder;
mod index;
mod look;
mod notes;
mod restore;
mod shared;
mod snapshot;
mod todo;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_port::sandbox::Mount;

use self::aside::Folders;
use self::bound::Bound;
pub use self::find::is_of_repository;
pub use self::index::submodules_in;
use self::notes::Notes;
use self::restore::Outcome;
pub(crate) use self::shared::place as shared_place;
use self::shared::{Shared, Unshared};
pub use self::snapshot::Unseen;
use self::snapshot::{Report, Snapshot};
use crate::workspace::line;

/// Keeps the repositories in what commands may write.
#[derive(Debug)]
pub struct Keeper {
    roots: Vec<PathBuf>,
    /// Places that commands cannot write: what leads there is not followed.
    closed: Vec<PathBuf>,
    /// Where it is kept how they are, for other processes.
    shared: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Commands that run.
    running: usize,
    /// As it was before the first of them; what changed since then, they changed.
    before: Snapshot,
    /// While commands run: the baseline that is shared with other processes.
    shared: Option<Shared>,
    /// Why it is not shared.
    unshared: Option<Unshared>,
    /// Repositories that commands made, and whether each was reported.
    made: BTreeMap<PathBuf, bool>,
    /// Where what was in the way was moved to.
    aside: Folders,
    /// Bounds that were reported.
    cut: BTreeSet<(PathBuf, Bound)>,
    notes: Notes,
}

impl State {
    fn put_back(&mut self, closed: &[PathBuf]) {
        let report = self.before.put_back(closed, &mut self.aside);
        self.note(report);
    }

    fn note(&mut self, report: Report) {
        for outcome in report.outcomes {
            match outcome {
                Outcome::Failed(text) => self.notes.urgent(text),
                Outcome::Done(text) => self.notes.add(text),
            }
        }
        self.note_cut(report.cut);
        let made: BTreeSet<_> = report.made.into_iter().collect();
        // One that is gone may be made again, by the person too.
        self.made.retain(|git, _| git.symlink_metadata().is_ok());
        for git in made {
            self.made.entry(git).or_default();
        }
        // Those for which there is no room now come with the next command.
        for (git, is_reported) in self.made.iter_mut().filter(|(_, is_reported)| !**is_reported) {
            *is_reported = self.notes.add_if_room(|| {
                format!(
                    "a command made the repository {}: look at its hooks and its configuration \
                     before you use Git there, or in the repository around it",
                    line(git)
                )
            });
        }
    }

    fn note_cut(&mut self, cut: impl IntoIterator<Item = (PathBuf, Bound)>) {
        for (root, bound) in cut {
            if self.cut.insert((root.clone(), bound)) {
                self.notes.urgent(format!(
                    "not all repositories in {} are kept as they are: {bound}",
                    line(&root)
                ));
            }
        }
    }
}

impl Keeper {
    /// A keeper of the repositories below some directories, which have no symbolic links in
    /// their paths.
    pub fn new(roots: Vec<PathBuf>) -> Arc<Self> {
        Self::sharing_at(roots, shared_place())
    }

    /// The same with another directory for what processes share.
    fn sharing_at(roots: Vec<PathBuf>, shared: PathBuf) -> Arc<Self> {
        Arc::new(Self { roots, closed: Vec::new(), shared, state: Mutex::default() })
    }

    /// The same without what leads to some places, which commands cannot write.
    pub fn closed_to(roots: Vec<PathBuf>, closed: Vec<PathBuf>) -> Arc<Self> {
        Arc::new(Self { roots, closed, shared: shared_place(), state: Mutex::default() })
    }

    /// A command is about to run: the mounts that protect what is there, and what puts the
    /// rest back when it is dropped.
    ///
    /// # Errors
    /// With a directory that cannot be looked at: what a command changes there would not be
    /// seen.
    pub fn begin(self: &Arc<Self>) -> Result<(Vec<Mount>, Watched), Unseen> {
        let mut state = self.state();
        let covers = if state.running == 0 {
            self.look(&mut state);
            let cut: Vec<_> = state.before.cut().collect();
            state.note_cut(cut);
            let unseen = state.before.unseen().next().cloned();
            if let Some(unseen) = unseen {
                state.shared = None;
                return Err(unseen);
            }
            state.before.covers()
        } else {
            state.put_back(&self.closed);
            self.unmovable(state.before.covers())
        };
        state.running = state.running.saturating_add(1);
        Ok((covers, Watched(Arc::clone(self))))
    }

    /// Looks how it is before a command. What changed since the last one ended, the person
    /// changed; where commands of another process run, it is how that one found it.
    fn look(&self, state: &mut State) {
        let joining = Shared::join(&self.roots, &self.shared);
        state.before = Snapshot::take(&self.roots, &self.closed, &state.before, &state.made);
        let shared = joining.and_then(|joining| {
            joining.adopt(&mut state.before)?;
            joining.finish(&state.before)
        });
        (state.shared, state.unshared) = match shared {
            Ok(shared) => (Some(shared), None),
            Err(unshared) => (None, Some(unshared)),
        };
    }

    /// What is not protected here, if anything.
    pub fn gap(&self) -> Option<String> {
        let state = self.state();
        let why = state.unshared.as_ref()?;
        Some(format!(
            "hooks and configuration that commands of another Legwork process change in the same \
             directory may be taken for your own ({why})"
        ))
    }

    /// What was put back or made since the last time, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let mut state = self.state();
        let later = state.made.values().filter(|is_reported| !**is_reported).count();
        state.notes.take(later)
    }

    /// Of some mounts, those over what no command that runs can move: each folder on the way
    /// is covered, too.
    fn unmovable(&self, covers: Vec<Mount>) -> Vec<Mount> {
        let covered: BTreeSet<_> = covers.iter().map(|mount| mount.place.clone()).collect();
        let fixed =
            |above: &Path| covered.contains(above) || self.roots.iter().any(|root| root == above);
        let inside = |above: &&Path| self.roots.iter().any(|root| above.starts_with(root));
        let keep = |mount: &Mount| mount.place.ancestors().skip(1).take_while(inside).all(fixed);
        covers.into_iter().filter(keep).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command that runs; dropped when it has ended, with all that came of it.
#[derive(Debug)]
pub struct Watched(Arc<Keeper>);

impl Drop for Watched {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.running = state.running.saturating_sub(1);
        state.put_back(&self.0.closed);
        if state.running == 0 {
            state.shared = None;
        }
    }
}

#[cfg(test)]
mod tests;

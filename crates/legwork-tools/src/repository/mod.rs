//! Keeps what makes Git run programs as it was before each command.
//!
//! Behind bubblewrap it is read-only. In every sandbox it is compared after each
//! command, and put back where it changed. What is looked at and put back is
//! opened by descriptor, and no symbolic link is followed.

mod bytes;
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

pub use self::find::is_of_repository;
pub use self::index::submodules_in;
use self::notes::Notes;
use self::restore::Outcome;
pub(crate) use self::shared::place as shared_place;
use self::shared::{Shared, Unshared};
use self::snapshot::Snapshot;
pub use self::snapshot::Unseen;
use crate::workspace::line;

/// How often it is looked again at what commands left.
const ROUNDS: usize = 3;

/// Keeps the repositories in what commands may write.
#[derive(Debug)]
pub struct Keeper {
    roots: Vec<PathBuf>,
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
    /// Directories that were reported as too large to be read whole.
    cut: BTreeSet<PathBuf>,
    notes: Notes,
}

impl State {
    /// Notes what is not compared: directories that could not be looked at, or not whole, and
    /// repositories that commands made.
    fn note_rest(&mut self, now: &Snapshot) {
        for unseen in now.unseen() {
            self.notes
                .add(format!("{unseen}: look at hooks and configuration there before you use Git"));
        }
        let cut = now.cut().filter(|cut| !self.cut.contains(*cut));
        for cut in cut.map(Path::to_owned).collect::<Vec<_>>() {
            let text = format!(
                "{} has more folders than are looked through for repositories: hooks and \
                 configuration of those that were not found are not kept",
                line(&cut)
            );
            if self.notes.add(text) {
                self.cut.insert(cut);
            }
        }
        for made in now.made_since(&self.before) {
            self.made.entry(made).or_default();
        }
        // Those for which there is no room now come with the next command.
        for (made, is_reported) in self.made.iter_mut().filter(|(_, is_reported)| !**is_reported) {
            *is_reported = self.notes.add(format!(
                "a command made the repository {}: look at its hooks and its configuration \
                 before you use Git there, or in the repository around it",
                line(made)
            ));
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
        Arc::new(Self { roots, shared, state: Mutex::default() })
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
            let unseen = state.before.unseen().next().cloned();
            if let Some(unseen) = unseen {
                state.shared = None;
                return Err(unseen);
            }
            state.before.covers()
        } else {
            self.put_back(&mut state);
            self.unmovable(state.before.covers())
        };
        state.running = state.running.saturating_add(1);
        Ok((covers, Watched(Arc::clone(self))))
    }

    /// Looks how it is before a command. What changed since the last one ended, the person
    /// changed; where commands of another process run, it is how that one found it.
    fn look(&self, state: &mut State) {
        let joining = Shared::join(&self.roots, &self.shared);
        state.before = Snapshot::take(&self.roots, &state.before);
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
        self.state().notes.take()
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

    /// Compares with how it was, and puts back what changed.
    ///
    /// Where commands left so much that not all was looked at, it is looked at again without
    /// what was removed.
    fn put_back(&self, state: &mut State) {
        let mut known = BTreeSet::new();
        for _ in 0..ROUNDS {
            let now = Snapshot::take(&self.roots, &state.before);
            let outcomes = restore::changes(&state.before, &now);
            let is_whole = outcomes.is_empty() || now.cut().next().is_none();
            for outcome in outcomes.into_iter().filter(|outcome| known.insert(outcome.clone())) {
                let (Outcome::Failed(text) | Outcome::Done(text)) = outcome;
                state.notes.add(text);
            }
            if is_whole {
                return state.note_rest(&now);
            }
        }
        state.note_rest(&Snapshot::take(&self.roots, &state.before));
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
        self.0.put_back(&mut state);
        if state.running == 0 {
            state.shared = None;
        }
    }
}

#[cfg(test)]
mod tests;

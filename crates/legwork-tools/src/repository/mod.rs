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
mod restore;
mod shared;
mod snapshot;
mod todo;

use std::collections::BTreeSet;
use std::mem::take;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_port::sandbox::Mount;

pub use self::find::is_of_repository;
pub use self::index::submodules_in;
pub(crate) use self::shared::place as shared_place;
use self::shared::{Shared, Unshared};
use self::snapshot::Snapshot;
pub use self::snapshot::Unseen;

/// Most notes that are kept until they are taken.
const NOTES_MAX: usize = 50;

/// Keeps the repositories in what commands may write.
#[derive(Debug)]
pub struct Keeper {
    roots: Vec<PathBuf>,
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
    /// Repositories that commands made and that were reported.
    made: BTreeSet<PathBuf>,
    /// Directories that were reported as too large to be read whole.
    cut: BTreeSet<PathBuf>,
    notes: Vec<String>,
}

impl Keeper {
    /// A keeper of the repositories below some directories, which have no symbolic links in
    /// their paths.
    pub fn new(roots: Vec<PathBuf>) -> Arc<Self> {
        Arc::new(Self { roots, state: Mutex::default() })
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
        let joining = Shared::join(&self.roots);
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
            "commands of another Legwork process that runs in the same directory at the same \
             time: what they change in hooks and configuration may be taken for your own ({why})"
        ))
    }

    /// What was put back or made since the last time, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        take(&mut self.state().notes)
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

    fn put_back(&self, state: &mut State) {
        let now = Snapshot::take(&self.roots, &state.before);
        let mut notes = restore::changes(&state.before, &now);
        notes.extend(now.unseen().map(|unseen| {
            format!("{unseen}: look at hooks and configuration there before you use Git")
        }));
        for cut in now.cut() {
            if state.cut.insert(cut.to_owned()) {
                notes.push(format!(
                    "{} has more folders than are looked through for repositories: hooks and \
                     configuration of those that were not found are not kept",
                    crate::workspace::line(cut)
                ));
            }
        }
        for made in now.made_since(&state.before) {
            if state.made.insert(made.clone()) {
                notes.push(format!(
                    "a command made the repository {}: look at its hooks and its configuration \
                     before you use Git there, or in the repository around it",
                    crate::workspace::line(&made)
                ));
            }
        }
        let room = NOTES_MAX.saturating_sub(state.notes.len());
        state.notes.extend(notes.into_iter().take(room));
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

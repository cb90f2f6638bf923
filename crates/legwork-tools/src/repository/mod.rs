//! Keeps what makes Git run programs as it was before each command.
//!
//! Behind bubblewrap it is read-only. In every sandbox it is compared after each
//! command, and put back where it changed. What is looked at and put back is
//! opened by descriptor, and no symbolic link is followed.

mod aside;
mod bound;
mod bytes;
mod compare;
mod draft;
mod entry;
mod find;
mod folder;
mod index;
mod links;
mod look;
mod notes;
mod pointer;
mod resolve;
mod restore;
mod shared;
mod snapshot;
mod stamp;
mod todo;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

use self::aside::Folders;
use self::bound::Bound;
pub use self::find::is_of_repository;
pub use self::index::submodules_in;
use self::notes::Notes;
use self::restore::Outcome;
pub(crate) use self::shared::place as shared_place;
use self::shared::{Shared, Unshared};
pub use self::snapshot::Unseen;
use self::snapshot::{Made, Report, Snapshot};
use self::stamp::{Id, Stamp};
use crate::linux::Mount;
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
    /// Repositories that commands made, and what leads to them.
    made: BTreeMap<PathBuf, Found>,
    /// Places that could not be put back, and how they were left.
    failed: BTreeMap<PathBuf, Option<Stamp>>,
    /// What was reported of places as they are now.
    standing: BTreeMap<PathBuf, Option<Stamp>>,
    /// Links that were reported.
    links: BTreeSet<PathBuf>,
    /// Where what was in the way was moved to.
    aside: Folders,
    /// Bounds that were reported.
    cut: BTreeSet<(PathBuf, Bound)>,
    notes: Notes,
}

/// What was found after a command, and not before it.
#[derive(Debug)]
struct Found {
    id: Id,
    made: Made,
    is_reported: bool,
}

impl Found {
    fn text(&self) -> String {
        let path = line(&self.made.path);
        let around = "before you use Git there, or in the repository around it";
        match (self.made.is_perhaps_older, self.made.is_repository) {
            (false, true) => format!(
                "a command made the repository {path}: look at its hooks and its configuration \
                 {around}"
            ),
            (false, false) => format!(
                "a command made {path}, which leads Git to a repository: look at hooks and \
                 configuration of that {around}"
            ),
            (true, _) => format!(
                "{path} was found after a command and not before it, where not all was looked \
                 through: look at its hooks and its configuration {around}"
            ),
        }
    }
}

impl State {
    fn put_back(&mut self, closed: &[PathBuf]) {
        let report = self.before.put_back(closed, &mut self.aside);
        self.note(report);
    }

    fn note(&mut self, report: Report) {
        self.failed.clear();
        let mut standing = BTreeMap::new();
        for outcome in report.outcomes {
            let is_known = |path, stamp| self.standing.get(path) == Some(&stamp);
            match outcome {
                Outcome::Done(text) => self.notes.add(text),
                Outcome::Failed(path, text) => {
                    let stamp = Stamp::of(&path);
                    if !is_known(&path, stamp) {
                        self.notes.urgent(text);
                    }
                    self.failed.insert(path.clone(), stamp);
                    standing.insert(path, stamp);
                }
                Outcome::Gone(path, text) => {
                    if !is_known(&path, None) {
                        self.notes.add(text);
                    }
                    standing.insert(path, None);
                }
            }
        }
        self.standing = standing;
        self.note_cut(report.cut);
        self.forget_made();
        for made in report.made {
            let Some(id) = Id::of(&made.path) else { continue };
            let found = Found { id, made, is_reported: false };
            self.made.entry(found.made.path.clone()).or_insert(found);
        }
        // Those that do not fit now come with the next command.
        for found in self.made.values_mut().filter(|found| !found.is_reported) {
            found.is_reported = self.notes.add_if_room(|| found.text());
        }
    }

    /// Forgets what is gone or was made anew since: by the person, perhaps.
    fn forget_made(&mut self) {
        self.made.retain(|path, found| Id::of(path) == Some(found.id));
    }

    /// Repositories that are commands' own.
    fn own(&self) -> BTreeSet<PathBuf> {
        let own = self.made.iter().filter(|(_, found)| !found.made.is_perhaps_older);
        own.map(|(path, _)| path.clone()).collect()
    }

    fn note_links(&mut self) {
        for (link, free) in self.before.links() {
            if self.links.insert(link.clone()) {
                let what = "is not protected; look at it before you use Git there";
                self.notes.urgent(match free {
                    Some(free) => format!(
                        "{} leads to {}, which commands may write: what lies there {what}",
                        line(link),
                        line(free)
                    ),
                    None => format!(
                        "{} is a link that leads a long way: what it leads to {what}",
                        line(link)
                    ),
                });
            }
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
            state.note_links();
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
        state.forget_made();
        // What is not as it was left is the person's.
        state.failed.retain(|path, left| Stamp::of(path) == *left);
        let (known, own) = (&state.before, state.own());
        state.before = Snapshot::take(&self.roots, &self.closed, known, &own, &state.failed);
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
        let later = state.made.values().filter(|found| !found.is_reported).count();
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

/// A part of a name that no command can guess.
fn random() -> Result<String, Errno> {
    let mut bytes = [0; 8];
    getrandom(&mut bytes[..], GetRandomFlags::empty())?;
    Ok(format!("{:016x}", u64::from_ne_bytes(bytes)))
}

#[cfg(test)]
mod tests;

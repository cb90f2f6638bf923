//! What makes Git run programs, in all repositories, as it is at one moment.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::aside::Folders;
use super::bound::Bound;
use super::bytes::Name;
use super::entry::{Entry, Kind};
use super::find::{self, Found};
use super::folder::Folder;
use super::links::{self, Lead};
use super::look::{Earlier, FILES, HOOKS, INFO, Look};
use super::restore::{self, Outcome};
use super::stamp::Stamp;
use super::todo::Todo;
use crate::linux::{Cover, IfMoved, Mount};

/// What makes Git run programs, by root and path below it.
///
/// A place at which nothing was is there, too, without an entry.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    roots: Vec<Root>,
    unseen: Vec<Unseen>,
    links: Vec<Lead>,
}

/// A directory whose repositories cannot be looked at.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the repositories in {} cannot be looked at ({said})", place.display())]
pub struct Unseen {
    /// The directory.
    pub place: PathBuf,
    /// What the operating system said.
    pub said: String,
}

/// Files that are to be had while a directory is looked at: without them, what cannot be
/// opened would be taken for gone.
const SPARE: usize = 24;

/// The repositories below one directory.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) path: PathBuf,
    pub(super) repositories: Vec<PathBuf>,
    /// Folders with too many repositories for a mount each.
    pub(super) crowded: Vec<PathBuf>,
    /// The bounds that were reached.
    pub(super) cut: BTreeSet<Bound>,
    /// What is at each place, or that nothing is; of others that is not known.
    pub(super) entries: BTreeMap<PathBuf, Option<Entry>>,
    /// Folders of which all names are known.
    pub(super) listed: BTreeSet<PathBuf>,
    /// The stopped rebase of each repository.
    pub(super) todos: BTreeMap<PathBuf, Todo>,
}

/// A directory of a snapshot, as it is kept for other processes.
#[derive(Debug, Serialize, Deserialize)]
struct StoredRoot {
    repositories: Vec<Name>,
    crowded: Vec<Name>,
    cut: BTreeSet<Bound>,
    entries: Vec<(Name, Option<Entry>)>,
    listed: Vec<Name>,
    todos: Vec<(Name, Todo)>,
}

/// What came of putting back.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) outcomes: Vec<Outcome>,
    /// Repositories, and what leads to them, that were not there before.
    pub(super) made: Vec<Made>,
    /// Directories that were not looked through, and why.
    pub(super) cut: Vec<(PathBuf, Bound)>,
}

/// A repository that was not there before, or a `.git` that leads to one.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) path: PathBuf,
    pub(super) is_repository: bool,
    /// Whether it may have been there, where it was not looked for.
    pub(super) is_perhaps_older: bool,
}

impl Snapshot {
    /// Looks at the repositories below some directories; `known` is an earlier look.
    ///
    /// Not at those that commands made, nor below places that they cannot write.
    pub(super) fn take(
        roots: &[PathBuf],
        closed: &[PathBuf],
        known: &Self,
        made: &BTreeSet<PathBuf>,
        failed: &BTreeMap<PathBuf, Option<Stamp>>,
    ) -> Self {
        let mut snapshot = Self::default();
        let mut folders = Vec::new();
        for path in roots {
            match open(path, Rights::AsTheyAre) {
                Ok(folder) => folders.push((path, folder)),
                Err(unseen) => snapshot.unseen.push(unseen),
            }
        }
        let tree = |(path, folder)| find::Tree { folder, path, closed, writable: roots };
        let trees: Vec<_> = folders.iter().map(|(path, folder)| tree((*path, folder))).collect();
        for (tree, found) in trees.iter().zip(Found::in_all(&trees)) {
            let known = known.roots.iter().find(|root| root.path == tree.path);
            snapshot.roots.push(Look::at(tree, found, Earlier { known, made, failed }));
        }
        snapshot.links = links::leads(&snapshot.roots, closed);
        snapshot
    }

    /// Puts back what changed since then; what is in the way is set `aside`.
    pub(super) fn put_back(&self, closed: &[PathBuf], aside: &mut Folders) -> Report {
        let roots: Vec<_> = self.roots.iter().map(|root| root.path.clone()).collect();
        let mut report = Report::default();
        let mut folders = Vec::new();
        for root in &self.roots {
            let folder = match open(&root.path, Rights::Taken) {
                Ok(folder) => folder,
                Err(unseen) => {
                    let text = format!(
                        "{unseen}: look at hooks and configuration there before you use Git"
                    );
                    report.outcomes.push(Outcome::Failed(root.path.clone(), text));
                    continue;
                }
            };
            let outcomes = restore::put_back(&folder, root, aside);
            report.outcomes.extend(outcomes.into_iter().map(|outcome| match outcome {
                Outcome::Failed(path, text) => Outcome::Failed(root.absolute(&path), text),
                Outcome::Gone(path, text) => Outcome::Gone(root.absolute(&path), text),
                outcome => outcome,
            }));
            folders.push((root, folder));
        }
        let trees: Vec<_> = folders
            .iter()
            .map(|(root, folder)| find::Tree { folder, path: &root.path, closed, writable: &roots })
            .collect();
        for ((root, _), found) in folders.iter().zip(Found::in_all(&trees)) {
            report.cut.extend(found.cut.iter().map(|bound| (root.path.clone(), *bound)));
            report.made.extend(root.made_since(found));
        }
        report
    }

    /// Encodes the state of a directory for other processes; none if it could not be read.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub(super) fn to_bytes(&self, root: &Path) -> Result<Option<Vec<u8>>, serde_json::Error> {
        let Some(root) = self.roots.iter().find(|known| known.path == root) else {
            return Ok(None);
        };
        let names = |paths: &[PathBuf]| paths.iter().cloned().map(Name::from).collect();
        let entries = root.entries.iter().map(|(path, entry)| (path.clone().into(), entry.clone()));
        let todos = root.todos.iter().map(|(path, todo)| (path.clone().into(), todo.clone()));
        let kept = StoredRoot {
            repositories: names(&root.repositories),
            crowded: names(&root.crowded),
            cut: root.cut.clone(),
            entries: entries.collect(),
            listed: root.listed.iter().cloned().map(Name::from).collect(),
            todos: todos.collect(),
        };
        serde_json::to_vec(&kept).map(Some)
    }

    /// Takes a directory as another process saw it.
    ///
    /// # Errors
    /// When that cannot be decoded.
    pub(super) fn adopt(&mut self, root: &Path, bytes: &[u8]) -> Result<(), serde_json::Error> {
        let kept: StoredRoot = serde_json::from_slice(bytes)?;
        let path = |name: Name| name.path().to_owned();
        self.roots.retain(|known| known.path != root);
        self.roots.push(Root {
            path: root.to_owned(),
            repositories: kept.repositories.into_iter().map(path).collect(),
            crowded: kept.crowded.into_iter().map(path).collect(),
            cut: kept.cut,
            entries: kept.entries.into_iter().map(|(name, entry)| (path(name), entry)).collect(),
            listed: kept.listed.into_iter().map(path).collect(),
            todos: kept.todos.into_iter().map(|(name, todo)| (path(name), todo)).collect(),
        });
        Ok(())
    }

    /// The mounts that protect what is there, an outer one first.
    ///
    /// What has moved when they are made is left to the comparison.
    pub(super) fn covers(&self) -> Vec<Mount> {
        self.roots.iter().flat_map(Root::covers).collect()
    }

    /// The directories that could not be looked at.
    pub(super) fn unseen(&self) -> impl Iterator<Item = &Unseen> {
        self.unseen.iter()
    }

    /// What is kept and leads elsewhere, by way of what commands may write.
    pub(super) fn links(&self) -> &[Lead] {
        &self.links
    }

    /// The directories that were not looked through, and why.
    pub(super) fn cut(&self) -> impl Iterator<Item = (PathBuf, Bound)> {
        let of_root = |root: &Root| {
            root.cut.iter().map(|bound| (root.path.clone(), *bound)).collect::<Vec<_>>()
        };
        self.roots.iter().flat_map(of_root)
    }
}

/// Whether a command may have taken the rights to a directory.
#[derive(Clone, Copy)]
enum Rights {
    AsTheyAre,
    Taken,
}

/// Opens a directory, and checks that there are files left to look at all of it.
fn open(path: &Path, rights: Rights) -> Result<Folder, Unseen> {
    let opened = Folder::root(path).and_then(|folder| {
        match rights {
            Rights::AsTheyAre => folder.is_listable()?,
            Rights::Taken => folder.with_rights(|| folder.is_listable())?,
        }
        folder.with_spare(SPARE)
    });
    opened.map_err(|errno| {
        let said = std::io::Error::from(errno).to_string();
        Unseen { place: path.to_owned(), said }
    })
}

impl Root {
    /// What was not there at this look.
    fn made_since(&self, found: Found) -> Vec<Made> {
        let is_perhaps_older = self.cut.iter().any(|bound| bound.hides_repositories());
        let known: HashSet<_> = self.repositories.iter().collect();
        let new = found.repositories.into_iter().filter(|git| !known.contains(git));
        let repositories: BTreeSet<_> = new.collect();
        let is_there = |git: &PathBuf| match self.entries.get(git) {
            Some(Some(entry)) => entry.kind != Kind::Directory,
            _ => false,
        };
        let new = found.pointers.into_iter().filter(|git| !is_there(git));
        let pointers = new.filter(|git| !repositories.contains(git)).collect::<BTreeSet<_>>();
        let made = |path: &PathBuf, is_repository| Made {
            path: self.absolute(path),
            is_repository,
            is_perhaps_older,
        };
        let mut all: Vec<_> = repositories.iter().map(|path| made(path, true)).collect();
        all.extend(pointers.iter().map(|path| made(path, false)));
        all
    }

    pub(super) fn absolute(&self, path: &Path) -> PathBuf {
        absolute(&self.path, path)
    }

    fn covers(&self) -> Vec<Mount> {
        let mut covers: BTreeMap<PathBuf, Mount> = BTreeMap::new();
        let mut add = |place: &Path, entry: &Entry, cover: Cover| {
            let place = self.absolute(place);
            let mut mount = entry.covered(place.clone(), cover);
            mount.if_moved = IfMoved::Skip;
            let strongest = covers.entry(place).or_insert_with(|| mount.clone());
            if strongest.cover < cover {
                *strongest = mount;
            }
        };
        for (path, entry) in &self.entries {
            let Some(entry) = entry else { continue };
            let is_git = path.file_name() == Some(OsStr::new(".git"));
            match entry.kind {
                Kind::Directory if is_git && !self.has_link(path) => add(path, entry, Cover::Fixed),
                Kind::Directory if path.ends_with(INFO) => {}
                Kind::Directory | Kind::File(_) | Kind::Large(_) | Kind::Unread => {
                    add(path, entry, Cover::ReadOnly);
                }
                Kind::Link(_) | Kind::Other => {}
            }
        }
        let Ok(root) = Folder::root(&self.path) else { return Vec::new() };
        let linked = self.repositories.iter().filter(|git| self.has_link(git));
        let linked = linked.filter(|git| !git.as_os_str().is_empty());
        for path in self.crowded.iter().chain(linked) {
            let above = path.parent().and_then(|above| root.below(above).ok());
            let name = path.file_name().unwrap_or_default();
            if let Some(entry) = above.and_then(|above| Entry::look_again(&above, name, None).ok())
            {
                add(path, &entry, Cover::ReadOnly);
            }
        }
        // A directory that can only be read protects all that lies in it.
        let whole = covers.values().filter(|mount| mount.cover == Cover::ReadOnly);
        let whole: HashSet<PathBuf> = whole.map(|mount| mount.place.clone()).collect();
        let inside = |place: &Path| place.ancestors().skip(1).any(|above| whole.contains(above));
        covers.into_values().filter(|mount| !inside(&mount.place)).collect()
    }

    /// Whether a repository has links for its hooks or settings: nothing in it can be
    /// written then, for a mount does not keep a link from being replaced.
    fn has_link(&self, git: &Path) -> bool {
        let guarded = FILES.iter().chain([&INFO, &HOOKS]).map(|name| git.join(name));
        let mut entries = guarded.filter_map(|path| self.entries.get(&path)?.as_ref());
        entries.any(|entry| matches!(entry.kind, Kind::Link(_)))
    }
}

fn absolute(root: &Path, path: &Path) -> PathBuf {
    // Joined with nothing, a path gets a slash at its end.
    if path.as_os_str().is_empty() { root.to_owned() } else { root.join(path) }
}

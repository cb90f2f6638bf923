//! What makes Git run programs, in all repositories, as it is at one moment.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use legwork_port::sandbox::{Cover, IfMoved, Mount};
use serde::{Deserialize, Serialize};

use super::bytes::Name;
use super::entry::{Entry, Kind};
use super::folder::Folder;
use super::look::{FILES, HOOKS, INFO, Look};
use super::todo::Todo;

/// What makes Git run programs, by root and path below it.
///
/// A place at which nothing was is there, too, without an entry.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    roots: Vec<Root>,
    unseen: Vec<Unseen>,
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
    /// Whether there was more than is looked at.
    pub(super) cut: bool,
    pub(super) entries: BTreeMap<PathBuf, Option<Entry>>,
    /// The stopped rebase of each repository.
    pub(super) todos: BTreeMap<PathBuf, Todo>,
}

/// A directory of a snapshot, as it is kept for other processes.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    repositories: Vec<Name>,
    crowded: Vec<Name>,
    cut: bool,
    entries: Vec<(Name, Option<Entry>)>,
    todos: Vec<(Name, Todo)>,
}

/// A stopped rebase that would run more than it would have.
#[derive(Debug)]
pub(super) struct Rebase<'s> {
    root: &'s Path,
    git: &'s Path,
    before: Todo,
}

impl Rebase<'_> {
    /// The repository.
    pub(super) fn path(&self) -> PathBuf {
        absolute(self.root, self.git)
    }

    /// Takes out what it would run more.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn put_back(&self) -> io::Result<()> {
        self.before.keep_in(&Folder::root(self.root)?.below(self.git)?)
    }
}

/// A place that is not as it was.
#[derive(Debug)]
pub(super) struct Change<'s> {
    pub(super) root: &'s Path,
    /// Below the root.
    pub(super) path: &'s Path,
    pub(super) before: Option<&'s Entry>,
    pub(super) now: Option<&'s Entry>,
}

impl Snapshot {
    /// Looks at the repositories below some directories; what is as it was in `known` is
    /// not read again.
    pub(super) fn take(roots: &[PathBuf], known: &Self) -> Self {
        let mut unseen = Vec::new();
        let look = |path: &PathBuf| {
            let folder = match Folder::root(path).and_then(|folder| folder.with_spare(SPARE)) {
                Ok(folder) => folder,
                Err(errno) => {
                    let said = std::io::Error::from(errno).to_string();
                    unseen.push(Unseen { place: path.clone(), said });
                    return None;
                }
            };
            let known = known.roots.iter().find(|root| root.path == *path);
            Some(Look::at(&folder, path, known))
        };
        Self { roots: roots.iter().filter_map(look).collect(), unseen }
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
        let kept = Kept {
            repositories: names(&root.repositories),
            crowded: names(&root.crowded),
            cut: root.cut,
            entries: entries.collect(),
            todos: todos.collect(),
        };
        serde_json::to_vec(&kept).map(Some)
    }

    /// Takes a directory as another process saw it.
    ///
    /// # Errors
    /// When that cannot be decoded.
    pub(super) fn adopt(&mut self, root: &Path, bytes: &[u8]) -> Result<(), serde_json::Error> {
        let kept: Kept = serde_json::from_slice(bytes)?;
        let path = |name: Name| name.path().to_owned();
        self.roots.retain(|known| known.path != root);
        self.roots.push(Root {
            path: root.to_owned(),
            repositories: kept.repositories.into_iter().map(path).collect(),
            crowded: kept.crowded.into_iter().map(path).collect(),
            cut: kept.cut,
            entries: kept.entries.into_iter().map(|(name, entry)| (path(name), entry)).collect(),
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

    /// What of this is not so in a later one. What was found only later is not compared.
    pub(super) fn changes<'s>(&'s self, later: &'s Self) -> Vec<Change<'s>> {
        let mut changes = Vec::new();
        for (root, later) in self.pairs(later) {
            let names: Vec<_> = root.names(later);
            for path in names {
                let before = root.entries.get(path).and_then(Option::as_ref);
                let now = later.entries.get(path).and_then(Option::as_ref);
                let same = match (before, now) {
                    (None, None) => true,
                    // Git makes the folder for other things, too.
                    (None, Some(now)) if path.ends_with(INFO) => now.kind == Kind::Directory,
                    (Some(before), Some(now)) => before.is_as(now),
                    _ => false,
                };
                if !same {
                    changes.push(Change { root: &root.path, path, before, now });
                }
            }
        }
        changes
    }

    /// The stopped rebases that would run more at a later time, in repositories that were
    /// there.
    pub(super) fn rebases<'s>(&'s self, later: &'s Self) -> Vec<Rebase<'s>> {
        let mut rebases = Vec::new();
        for (root, now) in self.pairs(later) {
            for (git, before) in &root.todos {
                if now.todos.get(git).is_some_and(|now| now.runs_more_than(before)) {
                    rebases.push(Rebase { root: &root.path, git, before: before.clone() });
                }
            }
        }
        rebases
    }

    /// The directories that are in both.
    fn pairs<'s>(&'s self, later: &'s Self) -> impl Iterator<Item = (&'s Root, &'s Root)> {
        let now = |root: &Root| later.roots.iter().find(|later| later.path == root.path);
        self.roots.iter().filter_map(move |root| Some((root, now(root)?)))
    }

    /// The directories that could not be looked at.
    pub(super) fn unseen(&self) -> impl Iterator<Item = &Unseen> {
        self.unseen.iter()
    }

    /// The directories that hold more than is looked at.
    pub(super) fn cut(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().filter(|root| root.cut).map(|root| root.path.as_path())
    }

    /// The repositories that are not in an earlier one, as absolute paths.
    pub(super) fn made_since(&self, earlier: &Self) -> Vec<PathBuf> {
        let of = |snapshot: &Self| -> Vec<PathBuf> {
            let roots = snapshot.roots.iter();
            roots.flat_map(|root| root.repositories.iter().map(|git| root.absolute(git))).collect()
        };
        let known: HashSet<PathBuf> = of(earlier).into_iter().collect();
        of(self).into_iter().filter(|git| !known.contains(git)).collect()
    }
}

impl Root {
    fn absolute(&self, path: &Path) -> PathBuf {
        absolute(&self.path, path)
    }

    /// Of both, the places of which this one knows whether something was there.
    fn names<'s>(&'s self, later: &'s Self) -> Vec<&'s Path> {
        // Those are folders of hooks, by any name.
        let of_hooks = |path: &&PathBuf| {
            let above = path.parent().filter(|above| !above.ends_with(INFO));
            let above = above.filter(|above| above.file_name() != Some(OsStr::new(".git")));
            let entry = above.and_then(|above| self.entries.get(above)?.as_ref());
            entry.is_some_and(|entry| entry.kind == Kind::Directory)
        };
        let new = later.entries.keys().filter(|path| !self.entries.contains_key(*path));
        let mut names: Vec<_> =
            self.entries.keys().chain(new.filter(of_hooks)).map(PathBuf::as_path).collect();
        names.sort();
        names
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
                Kind::Directory | Kind::File(_) => add(path, entry, Cover::ReadOnly),
                Kind::Link(_) | Kind::Other => {}
            }
        }
        let Ok(root) = Folder::root(&self.path) else { return Vec::new() };
        let linked = self.repositories.iter().filter(|git| self.has_link(git));
        let linked = linked.filter(|git| !git.as_os_str().is_empty());
        for path in self.crowded.iter().chain(linked) {
            let above = path.parent().and_then(|above| root.below(above).ok());
            let name = path.file_name().unwrap_or_default();
            if let Some(entry) = above.and_then(|above| Entry::look(&above, name, None)) {
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

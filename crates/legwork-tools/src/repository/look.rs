//! One look at the repositories below a directory.

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::entry::{Entry, Kind};
use super::find::{self, Found};
use super::folder::{Folder, Steps};
use super::snapshot::Root;
use super::todo::Todo;

/// Of a repository: its settings, and what says where they are.
pub(super) const FILES: [&str; 4] = ["config", "config.worktree", "commondir", "gitdir"];
/// Further settings, and what is run.
pub(super) const INFO: &str = "info";
const ATTRIBUTES: &str = "attributes";
pub(super) const HOOKS: &str = "hooks";
/// Folders of remotes, one a file (gitrepository-layout(5)).
const REMOTES: [&str; 2] = ["remotes", "branches"];

/// Most files and folders of hooks and remotes, and most bytes of their paths.
const ENTRIES_MAX: usize = 100_000;
const PATHS_MAX: usize = 32 << 20;
/// How deep folders of hooks are looked into.
const DEPTH: usize = 32;
/// Most bytes of all files that are kept of a directory; what is beyond cannot be put back.
const KEPT_MAX: u64 = 16 << 20;
/// Most directories that are opened on the way to others.
const STEPS: usize = 4_000_000;

/// A look under way.
pub(super) struct Look<'l> {
    folder: &'l Folder,
    path: &'l Path,
    known: Option<&'l Root>,
    entries: BTreeMap<PathBuf, Option<Entry>>,
    todos: BTreeMap<PathBuf, Todo>,
    /// Folders whose entries were looked at.
    listed: HashSet<PathBuf>,
    left: Left,
}

/// What may still be looked at and kept.
struct Left {
    entries: Steps,
    paths: Steps,
    steps: Steps,
    /// Bytes of files.
    bytes: u64,
    /// Bytes of commands in stopped rebases.
    todos: u64,
    /// Whether folders of hooks lie deeper than is looked into.
    is_deep: bool,
}

/// A folder below the one that is looked at.
struct Place {
    folder: Folder,
    path: PathBuf,
}

impl<'l> Look<'l> {
    /// Looks at the repositories below a directory; what is as it was in `known` is not read
    /// again.
    pub(super) fn at(folder: &'l Folder, path: &'l Path, known: Option<&'l Root>) -> Root {
        let left = Left {
            entries: Steps::new(ENTRIES_MAX),
            paths: Steps::new(PATHS_MAX),
            steps: Steps::new(STEPS),
            bytes: KEPT_MAX,
            todos: KEPT_MAX,
            is_deep: false,
        };
        let (entries, todos, listed) = (BTreeMap::new(), BTreeMap::new(), HashSet::new());
        Self { folder, path, known, entries, todos, listed, left }.look()
    }

    fn look(mut self) -> Root {
        let found = Found::in_folder(&find::Root { folder: self.folder, path: self.path });
        let (repositories, is_whole) = self.repositories(found.repositories);
        for git in &repositories {
            self.repository(git);
        }
        let before = self.known.into_iter().flat_map(|known| known.entries.keys());
        let gits = before.filter(|path| path.file_name() == Some(OsStr::new(".git")));
        for path in found.entries.iter().chain(gits) {
            self.add_alone(path);
        }
        let left = &self.left;
        let is_cut = left.entries.used_up() || left.paths.used_up() || left.steps.used_up();
        Root {
            path: self.path.to_owned(),
            repositories,
            crowded: found.crowded,
            cut: found.cut || !is_whole || is_cut || left.is_deep,
            entries: self.entries,
            todos: self.todos,
        }
    }

    /// The repositories that were known, then those that were found, and whether these are
    /// all.
    ///
    /// What was known stays so: many new ones do not take its place, and that it is gone is
    /// to be seen.
    fn repositories(&self, found: Vec<PathBuf>) -> (Vec<PathBuf>, bool) {
        let known = self.known.map(|known| known.repositories.clone());
        let mut repositories = known.unwrap_or_default();
        let there: HashSet<PathBuf> = repositories.iter().cloned().collect();
        let more = find::ALL.saturating_sub(repositories.len());
        let mut new = found.into_iter().filter(|git| !there.contains(git));
        repositories.extend(new.by_ref().take(more));
        (repositories, new.next().is_none())
    }

    fn repository(&mut self, path: &Path) {
        let Some(git) = self.open(path) else {
            let names = FILES.iter().chain([&INFO, &HOOKS]).chain(&REMOTES);
            names.for_each(|name| self.absent(&path.join(name)));
            return self.absent(&path.join(INFO).join(ATTRIBUTES));
        };
        for name in FILES {
            self.add(&git, OsStr::new(name));
        }
        self.todos.insert(path.to_owned(), Todo::of(&git.folder, &mut self.left.todos));
        // A link for the folder would lead elsewhere.
        self.add(&git, OsStr::new(INFO));
        match git.enter(INFO) {
            Some(info) => self.add(&info, OsStr::new(ATTRIBUTES)),
            None => self.absent(&path.join(INFO).join(ATTRIBUTES)),
        }
        // Where Git pushes and fetches without it standing in the configuration.
        for name in REMOTES {
            self.add(&git, OsStr::new(name));
            if let Some(remotes) = git.enter(name) {
                self.list(&remotes);
            }
        }
        self.add(&git, OsStr::new(HOOKS));
        // Hooks run files in folders next to them.
        if let Some(hooks) = git.enter(HOOKS) {
            self.list_all(hooks);
        }
        self.follow_links(path);
    }

    /// Where settings and hooks are links, what they lead to here is what Git takes.
    fn follow_links(&mut self, git: &Path) {
        let is_link = |path: &PathBuf| {
            let entry = self.entries.get(path).and_then(Option::as_ref);
            entry.is_some_and(|entry| matches!(entry.kind, Kind::Link(_)))
        };
        let names = FILES.iter().chain([&HOOKS]).map(|name| git.join(name));
        let links: Vec<_> = names.filter(is_link).collect();
        let root = find::Root { folder: self.folder, path: self.path };
        for target in links.iter().filter_map(|link| root.leads(Path::new(""), link)) {
            self.add_alone(&target);
            if let Some(target) = self.open(&target) {
                self.list(&target);
            }
        }
    }

    /// What lies in a folder, and in all below it.
    fn list_all(&mut self, top: Place) {
        let mut waiting = vec![(top.path, 0)];
        let mut next = Some(top.folder);
        while let Some((path, depth)) = waiting.pop() {
            let opened = next.take().or_else(|| Some(self.open(&path)?.folder));
            let Some(folder) = opened else { continue };
            let place = Place { folder, path };
            let inner = self.list(&place);
            if depth >= DEPTH {
                self.left.is_deep |= !inner.is_empty();
                continue;
            }
            waiting.extend(inner.iter().map(|name| (place.path.join(name), depth + 1)));
        }
    }

    /// What lies in a folder; the folders in it.
    fn list(&mut self, place: &Place) -> Vec<OsString> {
        let mut folders = Vec::new();
        if !self.listed.insert(place.path.clone()) {
            return folders;
        }
        let names: Vec<_> = place.folder.entries(&mut self.left.entries).collect();
        for (name, kind) in names {
            if !self.left.paths.take(place.path.as_os_str().len() + name.len()) {
                break;
            }
            self.add(place, &name);
            if kind == FileType::Directory {
                folders.push(name);
            }
        }
        folders
    }

    fn open(&mut self, path: &Path) -> Option<Place> {
        let folder = self.folder.below_within(path, &mut self.left.steps).ok()?;
        Some(Place { folder, path: path.to_owned() })
    }

    /// A place by its path alone.
    fn add_alone(&mut self, path: &Path) {
        let name = path.file_name().unwrap_or(OsStr::new("."));
        match path.parent().and_then(|above| self.open(above)) {
            Some(above) => self.add(&above, name),
            None => self.absent(path),
        }
    }

    fn add(&mut self, above: &Place, name: &OsStr) {
        let path = above.path.join(name);
        let known = self.known.and_then(|known| known.entries.get(&path)?.as_ref());
        let entry = Entry::look_within(&above.folder, name, known, self.left.bytes);
        let kept = entry.as_ref().map_or(0, Entry::kept);
        self.left.bytes = self.left.bytes.saturating_sub(kept);
        self.entries.insert(path, entry);
    }

    /// A place at which nothing is.
    fn absent(&mut self, path: &Path) {
        self.entries.insert(path.to_owned(), None);
    }
}

impl Place {
    fn enter(&self, name: &str) -> Option<Self> {
        let folder = self.folder.enter(OsStr::new(name)).ok()?;
        Some(Self { folder, path: self.path.join(name) })
    }
}

//! One look at the repositories below a directory: how they are before a command.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::fs::FileType;
use rustix::io::Errno;

use super::bound::{Allowance, Bound};
use super::entry::{Entry, Kind, Reading};
use super::find::{self, Found};
use super::folder::{EXCEEDED, Folder, is_absent};
use super::snapshot::Root;
use super::stamp::Stamp;
use super::todo::{REBASE, Todo};

/// Of a repository: its settings, and what says where they are.
pub(super) const FILES: [&str; 3] = ["config", "config.worktree", "commondir"];
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
/// Most bytes of all larger ones that are read for their digests.
const DIGESTS_MAX: u64 = 128 << 20;
/// Most bytes of all lists of stopped rebases that are read.
const TODOS_MAX: u64 = 64 << 20;
/// Most directories that are opened, those on the way to others too.
const OPENS: usize = 500_000;

/// A look under way.
pub(super) struct Look<'l> {
    at: &'l find::Tree<'l>,
    earlier: Earlier<'l>,
    left: Remaining,
    root: Root,
}

/// What earlier looks say.
#[derive(Clone, Copy)]
pub(super) struct Earlier<'e> {
    /// The last one.
    pub(super) known: Option<&'e Root>,
    /// Repositories that commands made, by absolute paths: they are not protected.
    pub(super) made: &'e BTreeSet<PathBuf>,
    /// Places that could not be put back, by absolute paths: what they are is known from
    /// before.
    pub(super) failed: &'e BTreeMap<PathBuf, Option<Stamp>>,
}

/// What may still be looked at and kept.
struct Remaining {
    entries: Allowance,
    paths: Allowance,
    opened: Allowance,
    reading: Reading,
    /// Bytes of lists of stopped rebases.
    todos: u64,
}

/// A folder below the one that is looked at.
struct Subfolder {
    folder: Folder,
    path: PathBuf,
}

impl<'l> Look<'l> {
    /// Looks at the repositories below a directory.
    ///
    /// What cannot be looked at now is taken from the last look.
    pub(super) fn at(at: &'l find::Tree<'l>, found: Found, earlier: Earlier<'l>) -> Root {
        let left = Remaining {
            entries: Allowance::new(ENTRIES_MAX),
            paths: Allowance::new(PATHS_MAX),
            opened: Allowance::new(OPENS),
            reading: Reading { kept: KEPT_MAX, digests: DIGESTS_MAX },
            todos: TODOS_MAX,
        };
        let mut root = Root::empty(at.path);
        root.cut = found.cut;
        root.crowded = found.crowded;
        let mut look = Self { at, earlier, left, root };
        look.repositories(found.repositories);
        look.gits(&found.entries);
        look.finish()
    }

    fn finish(mut self) -> Root {
        let left = &self.left;
        if left.opened.is_exceeded() {
            self.root.cut.insert(Bound::Entries);
        }
        if left.entries.is_exceeded() || left.paths.is_exceeded() {
            self.root.cut.insert(Bound::Hooks);
        }
        self.root
    }

    /// `.git` of any file type, those that were known first, if they are still there.
    fn gits(&mut self, found: &[PathBuf]) {
        let known = self.earlier.known.into_iter().flat_map(|known| known.entries.keys());
        let known = known.filter(|path| path.file_name() == Some(OsStr::new(".git")));
        let all: BTreeSet<_> = known.chain(found).collect();
        for path in all {
            if self.is_made(path) {
                continue;
            }
            self.add_alone(path);
            if self.root.entries.get(path).is_some_and(Option::is_none) {
                self.root.entries.remove(path);
            }
        }
    }

    /// The repositories that were known, if they are still there, then those that were found.
    fn repositories(&mut self, found: Vec<PathBuf>) {
        let known =
            self.earlier.known.map(|known| known.repositories.as_slice()).unwrap_or_default();
        let there: BTreeSet<_> = known.iter().cloned().collect();
        let new = found.into_iter().filter(|git| !there.contains(git));
        for git in known.iter().cloned().chain(new) {
            if self.is_made(&git) {
                continue;
            }
            if self.root.repositories.len() >= find::ALL {
                self.root.cut.insert(Bound::Repositories);
                return;
            }
            match self.open(&git) {
                Ok(place) => self.repository(place),
                Err(errno) if is_absent(errno) => continue,
                Err(errno) => self.missing(&git, errno),
            }
            self.root.repositories.push(git);
        }
    }

    fn repository(&mut self, git: Subfolder) {
        for name in FILES {
            self.add(&git, OsStr::new(name));
        }
        self.todo(&git);
        // A link for the folder would lead elsewhere.
        self.add(&git, OsStr::new(INFO));
        match git.enter(INFO) {
            Ok(info) => self.add(&info, OsStr::new(ATTRIBUTES)),
            Err(errno) => self.missing(&git.path.join(INFO).join(ATTRIBUTES), errno),
        }
        // Git makes these; a link would lead it to repositories elsewhere.
        for name in find::NESTED {
            match git.folder.kind(name) {
                None | Some(FileType::Directory) => {
                    self.root.entries.insert(git.path.join(name), None);
                }
                Some(_) => self.add(&git, OsStr::new(name)),
            }
        }
        // Where Git pushes and fetches without it standing in the configuration.
        for name in REMOTES {
            self.add(&git, OsStr::new(name));
            match git.enter(name) {
                Ok(remotes) => drop(self.list(&remotes)),
                Err(errno) if is_absent(errno) => {}
                Err(errno) => self.missing(&git.path.join(name), errno),
            }
        }
        self.add(&git, OsStr::new(HOOKS));
        // Hooks run files in folders next to them.
        match git.enter(HOOKS) {
            Ok(hooks) => self.list_all(hooks),
            Err(errno) if is_absent(errno) => {}
            Err(errno) => self.missing(&git.path.join(HOOKS), errno),
        }
    }

    fn todo(&mut self, git: &Subfolder) {
        let known = self.earlier.known.and_then(|known| known.todos.get(&git.path));
        if let (true, Some(known)) = (self.is_failed(&git.path.join(REBASE)), known) {
            self.root.todos.insert(git.path.clone(), known.clone());
            return;
        }
        let todo = Todo::of(&git.folder, &mut self.left.todos);
        if todo.as_ref().is_none_or(Todo::is_odd) {
            self.root.cut.insert(Bound::Rebases);
        }
        // One that is away may come back.
        let todo = match (todo, known) {
            (Some(todo), Some(known)) => Some(todo.with(known)),
            (todo, known) => todo.or_else(|| known.cloned()),
        };
        if let Some(todo) = todo {
            self.root.todos.insert(git.path.clone(), todo);
        }
    }

    /// What lies in a folder, and in all below it.
    fn list_all(&mut self, top: Subfolder) {
        let mut next = Some(top.folder);
        let mut waiting = vec![(top.path, 0)];
        while let Some((path, depth)) = waiting.pop() {
            let opened = next.take().map(|folder| Subfolder { folder, path: path.clone() });
            let place = match opened.map_or_else(|| self.open(&path), Ok) {
                Ok(place) => place,
                Err(errno) => {
                    self.missing(&path, errno);
                    continue;
                }
            };
            let inner = self.list(&place);
            if depth >= DEPTH && !inner.is_empty() {
                self.root.cut.insert(Bound::Hooks);
                continue;
            }
            waiting.extend(inner.iter().map(|name| (place.path.join(name), depth + 1)));
        }
    }

    /// What lies in a folder; the folders in it.
    fn list(&mut self, place: &Subfolder) -> Vec<OsString> {
        if self.root.listed.contains(&place.path) {
            return self.root.folders_in(&place.path);
        }
        if self.is_failed(&place.path) {
            self.carry(&place.path);
            return self.root.folders_in(&place.path);
        }
        let mut folders = Vec::new();
        let before = self.left.entries.is_exceeded();
        let listing = place.folder.entries(&mut self.left.entries);
        let names = match listing.collect::<Result<Vec<_>, _>>() {
            Ok(names) => names,
            Err(_) => {
                self.unreadable(&place.path);
                return folders;
            }
        };
        let mut is_whole = !before && !self.left.entries.is_exceeded();
        for (name, kind) in names {
            if !self.left.paths.take(place.path.as_os_str().len() + name.len()) {
                is_whole = false;
                break;
            }
            self.add(place, &name);
            if kind == FileType::Directory {
                folders.push(name);
            }
        }
        // Only then is any other name a new one.
        if is_whole {
            self.root.listed.insert(place.path.clone());
        }
        folders
    }

    fn open(&mut self, path: &Path) -> Result<Subfolder, Errno> {
        let folder = self.at.folder.below_within(path, &mut self.left.opened)?;
        Ok(Subfolder { folder, path: path.to_owned() })
    }

    /// A place by its path alone.
    fn add_alone(&mut self, path: &Path) {
        let name = path.file_name().unwrap_or(OsStr::new("."));
        match self.open(path.parent().unwrap_or(Path::new(""))) {
            Ok(above) => self.add(&above, name),
            Err(errno) => self.missing(path, errno),
        }
    }

    fn add(&mut self, above: &Subfolder, name: &OsStr) {
        let path = above.path.join(name);
        if self.is_failed(&path) {
            return self.carry(&path);
        }
        match Entry::look(&above.folder, name, &mut self.left.reading) {
            Ok(entry) => {
                let is_over = self.left.reading.kept < entry.size();
                if matches!(entry.kind, Kind::Large(_) | Kind::Unread) && is_over {
                    self.root.cut.insert(Bound::Kept);
                }
                self.root.entries.insert(path, Some(entry));
            }
            Err(errno) => self.missing(&path, errno),
        }
    }

    /// A place at which nothing is, or that cannot be looked at.
    ///
    /// What was not looked at for want of an allowance may have changed since it was known.
    fn missing(&mut self, path: &Path, errno: Errno) {
        match errno {
            errno if is_absent(errno) => drop(self.root.entries.insert(path.to_owned(), None)),
            EXCEEDED => {}
            _ => self.unreadable(path),
        }
    }

    fn unreadable(&mut self, path: &Path) {
        self.root.cut.insert(Bound::Unreadable);
        self.carry(path);
    }

    /// Whether a path is of a repository that a command made.
    fn is_made(&self, path: &Path) -> bool {
        self.earlier.made.contains(&self.root.absolute(path))
    }

    /// Whether a place, or what it lies in, could not be put back.
    fn is_failed(&self, path: &Path) -> bool {
        let is_failed = |above: &Path| self.earlier.failed.contains_key(&self.root.absolute(above));
        !self.earlier.failed.is_empty() && path.ancestors().any(is_failed)
    }

    /// Takes what was known of a place and of all below it.
    fn carry(&mut self, path: &Path) {
        if let Some(known) = self.earlier.known {
            self.root.carry(known, path);
        }
    }
}

impl Subfolder {
    fn enter(&self, name: &str) -> Result<Self, Errno> {
        let folder = self.folder.enter(OsStr::new(name))?;
        Ok(Self { folder, path: self.path.join(name) })
    }
}

impl Root {
    fn empty(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            repositories: Vec::new(),
            crowded: Vec::new(),
            cut: BTreeSet::new(),
            entries: BTreeMap::new(),
            listed: BTreeSet::new(),
            todos: BTreeMap::new(),
        }
    }

    /// The folders in one that was listed.
    fn folders_in(&self, path: &Path) -> Vec<OsString> {
        let below = self.entries.range(path.to_owned()..);
        let below = below.take_while(|(inner, _)| inner.starts_with(path));
        let direct = below.filter(|(inner, _)| inner.parent() == Some(path));
        let is_folder = |entry: &Option<Entry>| {
            entry.as_ref().is_some_and(|entry| entry.kind == Kind::Directory)
        };
        let folders = direct.filter(|(_, entry)| is_folder(entry));
        folders.filter_map(|(inner, _)| Some(inner.file_name()?.to_owned())).collect()
    }

    /// Takes what another knows of a place and of all below it.
    fn carry(&mut self, known: &Self, path: &Path) {
        let is_below = |inner: &&PathBuf| inner.starts_with(path);
        let entries = known.entries.range(path.to_owned()..);
        let entries = entries.take_while(|(inner, _)| inner.starts_with(path));
        for (inner, entry) in entries {
            self.entries.entry(inner.clone()).or_insert_with(|| entry.clone());
        }
        let listed = known.listed.range(path.to_owned()..).take_while(is_below);
        self.listed.extend(listed.cloned());
        let todos = known.todos.range(path.to_owned()..);
        for (git, todo) in todos.take_while(|(git, _)| git.starts_with(path)) {
            self.todos.entry(git.clone()).or_insert_with(|| todo.clone());
        }
    }
}

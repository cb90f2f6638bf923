//! Which repositories lie in a directory.

mod follow;

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::mem::take;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::aside;
use super::bound::{Allowance, Bound};
use super::folder::{EXCEEDED, Folder, is_absent};
use super::index;

/// The name by which Git finds a repository.
const GIT: &str = ".git";
/// How deep below a directory repositories are looked for.
const DEPTH: usize = 3;
/// How many parts a submodule's name may have.
const PARTS: usize = 8;
/// Most directories that are looked at, so that a huge workspace holds nothing up.
const DIRECTORIES: usize = 10_000;
/// Most directories in `modules` and `worktrees` that are looked at.
const MODULES_MAX: usize = 40_000;
/// Most entries that are listed.
const ENTRIES: usize = 4_000_000;
/// Most directories that are opened, those on the way to others too.
const OPENS: usize = 500_000;
/// Most bytes of the paths of repositories and submodules, and of one of them.
const PATHS_MAX: usize = 8 << 20;
const PATH_MAX: usize = 4096;
/// Most bytes of all indexes that are read.
const INDEXES_MAX: u64 = 512 << 20;
/// Most repositories that are kept, those nearest to the root first, submodules apart.
const REPOSITORIES: usize = 500;
/// Most repositories of all kinds.
pub(super) const ALL: usize = 10_000;
/// Most folders in which a `.git` is looked for, submodules too.
const LOOKED_AT_MAX: usize = 2 * DIRECTORIES;
/// Most submodules or worktrees of a repository that have mounts of their own.
const MODULES: usize = 200;
/// Directories that are large and hold no repository that people work in.
const PASSED_OVER: [&str; 4] = ["node_modules", "target", ".venv", "vendor"];
/// What a repository is made of, and what makes Git run programs.
const GIT_NAMES: [&str; 17] = [
    "HEAD",
    "branches",
    "commondir",
    "config",
    "config.worktree",
    "gitdir",
    "hooks",
    "info",
    "modules",
    "objects",
    "packed-refs",
    "rebase-apply",
    "rebase-merge",
    "refs",
    "remotes",
    "sequencer",
    "worktrees",
];
/// Folders of a repository that hold others.
pub(super) const NESTED: [&str; 2] = ["modules", "worktrees"];
/// What lies in a repository and holds no other.
const OF_GIT: [&str; 5] = ["hooks", "modules", "objects", "refs", "worktrees"];
/// Most bytes of all of them that are read.
const POINTERS_MAX: u64 = 64 << 20;
/// Most names on the ways that links and `.git` files lead.
const STEPS: usize = 1_000_000;

/// What was found, by paths relative to the root.
#[derive(Debug)]
pub(super) struct Found {
    /// Directories that Git takes for a repository.
    pub(super) repositories: Vec<PathBuf>,
    /// The same, to find them by.
    known: HashSet<PathBuf>,
    /// `.git` that Git takes for a repository, or for what leads to one.
    pub(super) entries: Vec<PathBuf>,
    /// Of them, those that lead to one, and links among submodules and worktrees.
    pub(super) pointers: BTreeSet<PathBuf>,
    /// What these lead to in another directory that commands may write, by absolute paths.
    elsewhere: Vec<PathBuf>,
    /// Folders with too many repositories for a mount each.
    pub(super) crowded: Vec<PathBuf>,
    /// The bounds that were reached.
    pub(super) cut: BTreeSet<Bound>,
    /// Folders that an index names as submodules, to be looked at wherever they lie.
    submodules: Vec<PathBuf>,
    /// Folders in which a `.git` was looked for.
    looked_at: HashSet<PathBuf>,
    listed: Allowance,
    opened: Allowance,
    /// Directories in `modules` and `worktrees` that may still be looked at.
    modules: usize,
    /// Bytes of indexes that may still be read.
    indexes: u64,
    /// Bytes of `.git` files that may still be read.
    pointer_bytes: u64,
    /// Names that may still be looked at to find where something leads.
    steps: Allowance,
    /// Bytes of paths that may still be kept.
    paths: Allowance,
}

/// Whether a path below a directory lies in a repository, or would make one: of a directory
/// that Git takes for one, with what the path would put there, it is a part.
///
/// Anything else in such a directory is not part of the repository.
pub fn is_of_repository(root: &Path, path: &Path) -> bool {
    let mut above = PathBuf::new();
    for part in path.components().map(|part| part.as_os_str()) {
        let own = GIT_NAMES.iter().any(|own| part == *own);
        let there =
            |name: &str| part == name || root.join(&above).join(name).symlink_metadata().is_ok();
        let git = there("HEAD") && (there("objects") || there("commondir"));
        // What `commondir` leads to needs no HEAD.
        let common = there("objects") && there("refs");
        if own && (git || common) {
            return true;
        }
        above.push(part);
    }
    false
}

fn is_repository(folder: &Folder) -> bool {
    // Git takes a HEAD that is a link, too.
    let head = matches!(folder.kind("HEAD"), Some(FileType::RegularFile | FileType::Symlink));
    head && (folder.kind("objects").is_some() || folder.kind("commondir").is_some())
}

/// What a `commondir` leads to needs no HEAD.
fn is_common(folder: &Folder) -> bool {
    folder.kind("objects").is_some()
}

impl Found {
    /// Looks through directories, each with some levels below, and at what leads from one to
    /// another.
    pub(super) fn in_all(trees: &[Tree<'_>]) -> Vec<Self> {
        let mut all: Vec<_> = trees.iter().map(Self::in_tree).collect();
        loop {
            let elsewhere: Vec<_> =
                all.iter_mut().flat_map(|found| take(&mut found.elsewhere)).collect();
            if elsewhere.is_empty() {
                break;
            }
            for (tree, found) in trees.iter().zip(&mut all) {
                for path in elsewhere.iter().filter_map(|path| path.strip_prefix(tree.path).ok()) {
                    found.repository(tree, path);
                }
            }
        }
        all.iter_mut().for_each(Self::finish);
        all
    }

    fn in_tree(tree: &Tree<'_>) -> Self {
        let mut found = Self::none();
        found.look_through(tree);
        found
    }

    fn finish(&mut self) {
        if self.listed.is_exceeded() || self.opened.is_exceeded() {
            self.cut.insert(Bound::Entries);
        }
        if self.steps.is_exceeded() {
            self.cut.insert(Bound::Paths);
        }
    }

    fn none() -> Self {
        Self {
            repositories: Vec::new(),
            known: HashSet::new(),
            entries: Vec::new(),
            pointers: BTreeSet::new(),
            elsewhere: Vec::new(),
            crowded: Vec::new(),
            cut: BTreeSet::new(),
            submodules: Vec::new(),
            looked_at: HashSet::new(),
            listed: Allowance::new(ENTRIES),
            opened: Allowance::new(OPENS),
            modules: MODULES_MAX,
            indexes: INDEXES_MAX,
            pointer_bytes: POINTERS_MAX,
            steps: Allowance::new(STEPS),
            paths: Allowance::new(PATHS_MAX),
        }
    }

    fn look_through(&mut self, root: &Tree<'_>) {
        let mut own = 0_usize;
        let mut level = vec![PathBuf::new()];
        let mut seen = 0_usize;
        for depth in 0..=DEPTH {
            let mut next = Vec::new();
            for path in level {
                seen = seen.saturating_add(1);
                if seen > DIRECTORIES || own > REPOSITORIES {
                    let bound =
                        if seen > DIRECTORIES { Bound::Folders } else { Bound::Repositories };
                    self.cut.insert(bound);
                    return;
                }
                let Some(folder) = self.open(root, &path) else { continue };
                let before = self.entries.len();
                // One that is bare may hold another all the same.
                let bare = is_repository(&folder);
                if bare {
                    self.repository(root, &path);
                }
                self.look_at(root, &folder, &path);
                self.look_at_submodules(root);
                own += usize::from(bare || self.entries.len() > before);
                // What was set aside is looked at, and nothing below it.
                if depth < DEPTH && !path.file_name().is_some_and(aside::is_named) {
                    // One more than are looked at shows that there are more.
                    let room = DIRECTORIES.saturating_add(1).saturating_sub(next.len());
                    let of_git = |name: &OsStr| bare && OF_GIT.iter().any(|own| name == *own);
                    let is_wanted = |name: &OsStr| !is_passed_over(name) && !of_git(name);
                    let inner = self.folders(&folder, room, is_wanted);
                    next.extend(inner.into_iter().map(|name| path.join(name)));
                }
            }
            level = next;
        }
    }

    /// Opens a folder by its path, if it is there and may be opened.
    fn open(&mut self, root: &Tree<'_>, path: &Path) -> Option<Folder> {
        match root.folder.below_within(path, &mut self.opened) {
            Ok(folder) => Some(folder),
            Err(errno) if is_absent(errno) || errno == EXCEEDED => None,
            Err(_) => {
                self.cut.insert(Bound::Unreadable);
                None
            }
        }
    }

    /// The folders in one. Another user's that cannot be listed has none: no command of ours
    /// can change its rights.
    fn folders(
        &mut self,
        folder: &Folder,
        most: usize,
        is_wanted: impl Fn(&OsStr) -> bool,
    ) -> Vec<OsString> {
        self.inner(folder, most, |name, kind| kind == FileType::Directory && is_wanted(name))
    }

    /// What lies in a folder, as far as it is wanted.
    fn inner(
        &mut self,
        folder: &Folder,
        most: usize,
        is_wanted: impl Fn(&OsStr, FileType) -> bool,
    ) -> Vec<OsString> {
        let mut names = Vec::new();
        for entry in folder.entries(&mut self.listed) {
            match entry {
                Ok(_) if names.len() >= most => break,
                Ok((name, kind)) if is_wanted(&name, kind) => names.push(name),
                Ok(_) => {}
                Err(_) if folder.is_own() => drop(self.cut.insert(Bound::Unreadable)),
                Err(_) => {}
            }
        }
        names
    }

    /// Git looks into what an index names, by any name and at any depth.
    fn look_at_submodules(&mut self, root: &Tree<'_>) {
        while let Some(path) = self.submodules.pop() {
            if self.looked_at.len() >= LOOKED_AT_MAX {
                self.cut.insert(Bound::Repositories);
                return self.submodules.clear();
            }
            if let Some(folder) = self.open(root, &path) {
                self.look_at(root, &folder, &path);
            }
        }
    }

    /// What the index of a repository names, below its working tree.
    fn read_index(&mut self, git: &Folder, tree: &Path) {
        let Ok(paths) = index::submodules(git, &mut self.indexes) else {
            self.cut.insert(Bound::Indexes);
            return;
        };
        for path in paths {
            if !self.has_room(tree, &path) {
                return;
            }
            self.submodules.push(tree.join(path));
        }
    }

    /// Takes the room for a path; whether there is some.
    fn has_room(&mut self, above: &Path, path: &Path) -> bool {
        let length = above.as_os_str().len().saturating_add(path.as_os_str().len());
        let has_room = length < PATH_MAX && self.paths.take(length);
        if !has_room {
            self.cut.insert(Bound::Paths);
        }
        has_room
    }
}

/// The directory that is looked through.
pub(super) struct Tree<'r> {
    pub(super) folder: &'r Folder,
    /// Its path, without symbolic links.
    pub(super) path: &'r Path,
    /// Places that commands cannot write, such as secrets: what leads there is not followed.
    pub(super) closed: &'r [PathBuf],
    /// All directories that commands may write.
    pub(super) writable: &'r [PathBuf],
}

impl Tree<'_> {
    fn is_closed(&self, path: &Path) -> bool {
        self.closed.iter().any(|closed| path.starts_with(closed) || closed.starts_with(path))
    }
}

fn is_passed_over(name: &OsStr) -> bool {
    name == GIT || PASSED_OVER.iter().any(|passed| name == *passed)
}

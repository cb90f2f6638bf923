//! Which repositories lie in a directory.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::aside;
use super::bound::{Allowance, Bound};
use super::folder::Folder;
use super::index;

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
/// What lies in a repository and holds no other.
const OF_GIT: [&str; 5] = ["hooks", "modules", "objects", "refs", "worktrees"];
/// Bytes of a `.git` file that are read.
const POINTER_MAX: u64 = 8 * 1024;

/// What was found, by paths relative to the root.
#[derive(Debug)]
pub(super) struct Found {
    /// Directories that Git takes for a repository.
    pub(super) repositories: Vec<PathBuf>,
    /// The same, to find them by.
    known: HashSet<PathBuf>,
    /// `.git`, of any file type.
    pub(super) entries: Vec<PathBuf>,
    /// Folders with too many repositories for a mount each.
    pub(super) crowded: Vec<PathBuf>,
    /// The bounds that were reached.
    pub(super) cut: BTreeSet<Bound>,
    /// Folders that an index names as submodules, to be looked at wherever they lie.
    submodules: Vec<PathBuf>,
    /// Of them, those that were looked at.
    looked_at: HashSet<PathBuf>,
    listed: Allowance,
    opened: Allowance,
    /// Directories in `modules` and `worktrees` that may still be looked at.
    modules: usize,
    /// Bytes of indexes that may still be read.
    indexes: u64,
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
    /// Looks through a directory: itself, and some levels below.
    pub(super) fn in_folder(root: &Root<'_>) -> Self {
        let mut found = Self::none();
        found.look_through(root);
        if found.listed.is_exceeded() || found.opened.is_exceeded() {
            found.cut.insert(Bound::Entries);
        }
        found
    }

    fn none() -> Self {
        Self {
            repositories: Vec::new(),
            known: HashSet::new(),
            entries: Vec::new(),
            crowded: Vec::new(),
            cut: BTreeSet::new(),
            submodules: Vec::new(),
            looked_at: HashSet::new(),
            listed: Allowance::new(ENTRIES),
            opened: Allowance::new(OPENS),
            modules: MODULES_MAX,
            indexes: INDEXES_MAX,
            paths: Allowance::new(PATHS_MAX),
        }
    }

    fn look_through(&mut self, root: &Root<'_>) {
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
                let Ok(folder) = root.folder.below_within(&path, &mut self.opened) else {
                    continue;
                };
                let before = self.entries.len();
                // One that is bare may hold another all the same.
                let bare = is_repository(&folder);
                if bare {
                    self.repository(root, &path);
                }
                self.look_at(root, &folder, &path);
                self.look_at_submodules(root);
                own += usize::from(bare || self.entries.len() > before);
                if depth < DEPTH {
                    let of_git = |name: &OsString| bare && OF_GIT.iter().any(|own| name == own);
                    let inner = below(&folder, &mut self.listed).filter(|name| !of_git(name));
                    // One more than are looked at shows that there are more.
                    let room = DIRECTORIES.saturating_add(1).saturating_sub(next.len());
                    next.extend(inner.take(room).map(|name| path.join(name)));
                }
            }
            level = next;
        }
    }

    /// Git looks into what an index names, by any name and at any depth.
    fn look_at_submodules(&mut self, root: &Root<'_>) {
        while let Some(path) = self.submodules.pop() {
            if self.looked_at.len() >= ALL {
                self.cut.insert(Bound::Repositories);
                return self.submodules.clear();
            }
            if self.looked_at.insert(path.clone())
                && let Ok(folder) = root.folder.below_within(&path, &mut self.opened)
            {
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

    /// A `.git` in a folder, and what it leads to.
    fn look_at(&mut self, root: &Root<'_>, folder: &Folder, path: &Path) {
        let Some(kind) = folder.kind(".git") else { return };
        let git = path.join(".git");
        match kind {
            FileType::Directory => {
                let Ok(directory) = folder.enter(OsStr::new(".git")) else { return };
                // What is no repository yet would be the command's own.
                if is_repository(&directory) {
                    self.entries.push(git.clone());
                    self.repository(root, &git);
                    self.read_index(&directory, path);
                }
            }
            FileType::RegularFile | FileType::Symlink => {
                self.entries.push(git);
                self.follow(root, folder, path);
            }
            _ => {}
        }
    }

    /// The repository that a `.git` file or link leads to, if it lies below the root.
    fn follow(&mut self, root: &Root<'_>, folder: &Folder, path: &Path) {
        let name = OsStr::new(".git");
        let target = folder.link(name).ok().or_else(|| {
            let text = folder.read(name, POINTER_MAX)?;
            Some(PathBuf::from(OsStr::from_bytes(text.strip_prefix(b"gitdir:")?.trim_ascii())))
        });
        let Some(target) = target.and_then(|target| root.leads(path, &target)) else { return };
        self.repository(root, &target);
        if let Ok(git) = root.folder.below_within(&target, &mut self.opened) {
            self.read_index(&git, path);
        }
    }

    /// A repository, those in it, and the one that it has its settings and hooks from, with
    /// all of theirs. One after the other: a chain of them may be long.
    fn repository(&mut self, root: &Root<'_>, path: &Path) {
        let mut left = vec![path.to_owned()];
        while let Some(path) = left.pop() {
            if self.known.contains(&path) {
                continue;
            }
            let Ok(git) = root.folder.below_within(&path, &mut self.opened) else { continue };
            // What a `.git` file or `commondir` names may be any folder.
            if !is_repository(&git) && !is_common(&git) {
                continue;
            }
            if self.known.len() >= ALL {
                self.cut.insert(Bound::Repositories);
                return;
            }
            if !self.has_room(&path, Path::new("")) {
                return;
            }
            self.known.insert(path.clone());
            for name in ["modules", "worktrees"] {
                let Ok(folder) = git.enter(OsStr::new(name)) else { continue };
                let mut found = Vec::new();
                self.nested(&folder, &path.join(name), PARTS, &mut found);
                if found.len() > MODULES {
                    self.crowded.push(path.join(name));
                }
                left.extend(found);
            }
            let common = git.read(OsStr::new("commondir"), POINTER_MAX);
            let common = common.map(|text| PathBuf::from(OsStr::from_bytes(text.trim_ascii())));
            left.extend(common.and_then(|common| root.leads(&path, &common)));
            self.repositories.push(path);
        }
    }

    /// Submodules' repositories, whose names may have several parts.
    fn nested(&mut self, folder: &Folder, path: &Path, parts: usize, found: &mut Vec<PathBuf>) {
        // One more than may be looked at shows that there are more.
        let most = self.modules.saturating_add(1);
        let names: Vec<_> = folder.folders(&mut self.listed).take(most).collect();
        for name in names {
            let Some(modules) = self.modules.checked_sub(1) else {
                self.cut.insert(Bound::Folders);
                return;
            };
            self.modules = modules;
            let (Ok(inner), path) = (folder.enter(&name), path.join(&name)) else { continue };
            if is_repository(&inner) {
                found.push(path);
            } else if let Some(parts) = parts.checked_sub(1) {
                self.nested(&inner, &path, parts, found);
            }
        }
    }
}

/// The directory that is looked through.
pub(super) struct Root<'r> {
    pub(super) folder: &'r Folder,
    /// Its path, without symbolic links.
    pub(super) path: &'r Path,
    /// Places that commands cannot write, such as secrets: what leads there is not followed.
    pub(super) closed: &'r [PathBuf],
}

impl Root<'_> {
    /// Where a path that is written in a folder leads to, below the root; none if elsewhere.
    ///
    /// By links, too: what comes out is only a name, and is opened without following any.
    pub(super) fn leads(&self, from: &Path, target: &Path) -> Option<PathBuf> {
        let real = self.path.join(from).join(target).canonicalize().ok()?;
        if self.closed.iter().any(|closed| real.starts_with(closed) || closed.starts_with(&real)) {
            return None;
        }
        real.strip_prefix(self.path).ok().map(Path::to_owned)
    }
}

fn below(folder: &Folder, listed: &mut Allowance) -> impl Iterator<Item = OsString> {
    let passed = |name: &OsString| PASSED_OVER.iter().any(|passed| name == passed);
    let is_left_out = move |name: &OsString| passed(name) || aside::is_named(name);
    folder.folders(listed).filter(move |name| name != ".git" && !is_left_out(name))
}

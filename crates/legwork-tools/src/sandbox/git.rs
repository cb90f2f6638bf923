//! What of a repository makes Git run programs: its hooks and its configuration.

use std::fs;
use std::path::{Path, PathBuf};

/// How deep below the workspace repositories are looked for.
const DEPTH: usize = 3;
/// Most directories that are looked at, so that a huge workspace holds nothing up.
const DIRECTORIES: usize = 4_000;
/// Most repositories that are protected, the nearest to the root first.
const REPOSITORIES: usize = 100;
/// Directories that are large and hold no repository that people work in.
const PASSED_OVER: [&str; 4] = ["node_modules", "target", ".venv", "vendor"];
/// Bytes of a `.git` file that are read.
const POINTER_MAX: u64 = 8 * 1024;

/// What of the repositories in a workspace a command must not change.
#[derive(Debug, Default)]
pub(super) struct Repositories {
    /// `.git`, directories or files, that must stay where they are.
    pub(super) pinned: Vec<PathBuf>,
    /// Files that may be read, not written; some may not be there yet.
    pub(super) files: Vec<PathBuf>,
    /// Directories that may be read, not written; some may not be there yet.
    pub(super) directories: Vec<PathBuf>,
    /// Repositories of which nothing may be written: a link in them cannot be
    /// kept from being replaced, and is not followed to what it names today.
    pub(super) frozen: Vec<PathBuf>,
}

impl Repositories {
    /// Looks through a workspace: its root, and some levels below.
    pub(super) fn find(root: &Path) -> Self {
        let mut found = Self::default();
        if is_git_directory(root) {
            found.protect(root);
        }
        let mut level = vec![root.to_owned()];
        let mut seen = 0;
        for depth in 0..=DEPTH {
            let mut next = Vec::new();
            for directory in level {
                seen += 1;
                if seen > DIRECTORIES || found.pinned.len() > REPOSITORIES {
                    return found;
                }
                found.look_at(root, &directory.join(".git"));
                if depth < DEPTH {
                    next.extend(below(&directory));
                }
            }
            level = next;
        }
        found
    }

    fn look_at(&mut self, root: &Path, git: &Path) {
        let Ok(kind) = git.symlink_metadata().map(|metadata| metadata.file_type()) else {
            return;
        };
        if kind.is_dir() {
            // What is no repository yet would be the command's own.
            if is_git_directory(git) {
                self.pinned.push(git.to_owned());
                self.protect(git);
            }
            return;
        }
        if kind.is_file() {
            self.pinned.push(git.to_owned());
        }
        // Elsewhere in the workspace; what lies beyond cannot be written anyway.
        if let Some(target) = pointed_to(git).filter(|target| target.starts_with(root)) {
            self.protect(&target);
            if let Some(main) = common(&target).filter(|main| main.starts_with(root)) {
                self.protect(&main);
            }
        }
    }

    fn protect(&mut self, git: &Path) {
        let (hooks, config) = (git.join("hooks"), git.join("config"));
        if self.directories.contains(&hooks) {
            return;
        }
        let worktree = git.join("config.worktree");
        if [&hooks, &config, &worktree].iter().any(|place| place.is_symlink()) {
            return self.frozen.push(git.to_owned());
        }
        self.directories.push(hooks);
        self.files.push(config);
        if worktree.exists() {
            self.files.push(worktree);
        }
        for below in ["modules", "worktrees"] {
            self.protect_below(&git.join(below), DEPTH);
        }
    }

    /// Submodules' repositories, whose names may have several parts.
    fn protect_below(&mut self, place: &Path, depth: usize) {
        for entry in directories(place) {
            if is_git_directory(&entry) {
                self.protect(&entry);
            } else if let Some(depth) = depth.checked_sub(1) {
                self.protect_below(&entry, depth);
            }
        }
    }
}

fn is_git_directory(place: &Path) -> bool {
    place.join("HEAD").is_file()
        && (place.join("objects").is_dir() || place.join("commondir").is_file())
}

fn below(place: &Path) -> impl Iterator<Item = PathBuf> {
    directories(place).filter(|entry| {
        let name = entry.file_name().unwrap_or_default();
        name != ".git" && !PASSED_OVER.iter().any(|passed| name == *passed)
    })
}

/// The directories in a directory; links are none.
fn directories(place: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|e| e.path())
}

/// The directory that a `.git` stands for, which is a file or a link.
fn pointed_to(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return git.canonicalize().ok();
    }
    let text = short(git)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    git.parent()?.join(target).canonicalize().ok()
}

/// The repository that a worktree belongs to.
fn common(git: &Path) -> Option<PathBuf> {
    git.join(short(&git.join("commondir"))?.trim()).canonicalize().ok()
}

fn short(file: &Path) -> Option<String> {
    let metadata = fs::metadata(file).ok()?;
    let fits = metadata.is_file() && metadata.len() <= POINTER_MAX;
    fits.then(|| fs::read_to_string(file).ok()).flatten()
}

//! Repositories by what leads to them: `.git`, `commondir`, submodules and worktrees.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat};

use super::super::bound::Bound;
use super::super::folder::{Folder, is_absent};
use super::super::pointer;
use super::super::resolve::resolve;
use super::{ALL, Found, GIT, MODULES, NESTED, PARTS, PATH_MAX, Tree, is_common, is_repository};

impl Found {
    /// A `.git` in a folder, and what it leads to.
    pub(super) fn look_at(&mut self, root: &Tree<'_>, folder: &Folder, path: &Path) {
        if !self.looked_at.insert(path.to_owned()) {
            return;
        }
        let kind = match folder.look(OsStr::new(GIT)) {
            Ok(stat) => FileType::from_raw_mode(stat.st_mode),
            Err(errno) => {
                if !is_absent(errno) && folder.is_own() {
                    self.cut.insert(Bound::Unreadable);
                }
                return;
            }
        };
        let git = path.join(GIT);
        match kind {
            FileType::Directory => {
                let Some(directory) = self.open(root, &git) else { return };
                if matches!(directory.look(OsStr::new("HEAD")), Err(errno) if !is_absent(errno)) {
                    self.cut.insert(Bound::Unreadable);
                }
                // What is not a repository yet would be the command's own.
                if is_repository(&directory) {
                    self.entries.push(git.clone());
                    self.repository(root, &git);
                    self.read_index(&directory, path);
                }
            }
            FileType::RegularFile | FileType::Symlink => self.follow(root, folder, path),
            _ => {}
        }
    }

    /// A `.git` file or link, and the repository that it leads to, if that lies below the root.
    fn follow(&mut self, root: &Tree<'_>, folder: &Folder, path: &Path) {
        let (git, name) = (path.join(GIT), OsStr::new(GIT));
        let target = match folder.link(name) {
            Ok(_) => self.lead(root, path, Path::new(GIT)),
            Err(_) => match self.pointer(folder, name) {
                Pointer::To(target) => self.lead(root, path, &target),
                // Git takes none of these for a repository.
                Pointer::Nothing => return,
                Pointer::Unread => None,
            },
        };
        self.add_pointer(git);
        let Some(target) = target else { return };
        // A link may lead to such a file.
        let above = target.parent().and_then(|above| self.open(root, above));
        let pointer = above.zip(target.file_name()).map(|(above, name)| self.pointer(&above, name));
        let target = match pointer {
            Some(Pointer::To(inner)) => self.lead(root, path, &inner),
            _ => Some(target),
        };
        let Some(target) = target else { return };
        if let Some(git) = self.open(root, &target)
            && is_repository(&git)
        {
            self.repository(root, &target);
            self.read_index(&git, path);
        }
    }

    fn add_pointer(&mut self, path: PathBuf) {
        self.entries.push(path.clone());
        self.pointers.insert(path);
    }

    /// Where a path that is written in a folder leads to, below the root; none if elsewhere.
    fn lead(&mut self, root: &Tree<'_>, from: &Path, target: &Path) -> Option<PathBuf> {
        let real = resolve(&root.path.join(from), target, &mut self.steps)?.end?;
        if root.is_closed(&real) {
            return None;
        }
        if let Ok(path) = real.strip_prefix(root.path) {
            return Some(path.to_owned());
        }
        let is_writable = root.writable.iter().any(|other| real.starts_with(other));
        if is_writable && self.has_room(&real, Path::new("")) {
            self.elsewhere.push(real);
        }
        None
    }

    /// What a `.git` file leads to, as Git reads it.
    fn pointer(&mut self, folder: &Folder, name: &OsStr) -> Pointer {
        if folder.look(name).is_ok_and(|stat| is_other_than_file(&stat)) {
            return Pointer::Nothing;
        }
        let Some(text) = folder.read(name, pointer::BYTES_MAX.min(self.pointer_bytes)) else {
            self.cut.insert(Bound::Unreadable);
            return Pointer::Unread;
        };
        self.pointer_bytes = self.pointer_bytes.saturating_sub(text.len() as u64);
        pointer::target(&text).map_or(Pointer::Nothing, Pointer::To)
    }

    /// A repository, those in it, and the one that it has its settings and hooks from, with
    /// all of theirs. One after the other: a chain of them may be long.
    pub(super) fn repository(&mut self, root: &Tree<'_>, path: &Path) {
        let mut left = vec![path.to_owned()];
        while let Some(path) = left.pop() {
            if self.known.contains(&path) {
                continue;
            }
            let Some(git) = self.open(root, &path) else { continue };
            // What `commondir` names may be any folder.
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
            for name in NESTED {
                let Some(folder) = self.open(root, &path.join(name)) else { continue };
                let (mut found, mut linked) = (Vec::new(), Vec::new());
                self.nested(root, (&folder, &path.join(name)), PARTS, &mut found, &mut linked);
                if found.len() > MODULES {
                    self.crowded.push(path.join(name));
                }
                left.extend(found);
                left.extend(linked);
            }
            let common = git.read(OsStr::new("commondir"), PATH_MAX as u64);
            let common = common.map(|text| pointer::line(&text));
            let common = common.and_then(|common| self.lead(root, &path, &common));
            left.extend(common);
            self.repositories.push(path);
        }
    }

    /// Submodules' repositories, whose names may have several parts.
    fn nested(
        &mut self,
        root: &Tree<'_>,
        (folder, path): (&Folder, &Path),
        parts: usize,
        found: &mut Vec<PathBuf>,
        linked: &mut Vec<PathBuf>,
    ) {
        // One more than may be looked at shows that there are more.
        let most = self.modules.saturating_add(1);
        let is_wanted = |_: &OsStr, kind| matches!(kind, FileType::Directory | FileType::Symlink);
        for name in self.inner(folder, most, is_wanted) {
            let Some(modules) = self.modules.checked_sub(1) else {
                self.cut.insert(Bound::Folders);
                return;
            };
            self.modules = modules;
            let path = path.join(&name);
            let Ok(inner) = folder.enter(&name) else {
                // Git takes what a link leads to.
                if folder.link(&name).is_ok() {
                    let target = self.lead(root, Path::new(""), &path);
                    self.add_pointer(path);
                    linked.extend(target);
                }
                continue;
            };
            if is_repository(&inner) {
                found.push(path);
            } else if let Some(parts) = parts.checked_sub(1) {
                self.nested(root, (&inner, &path), parts, found, linked);
            } else {
                self.cut.insert(Bound::Folders);
            }
        }
    }
}

/// What a `.git` file leads to.
enum Pointer {
    To(PathBuf),
    /// Not a file that leads to a repository.
    Nothing,
    /// It cannot be read.
    Unread,
}

fn is_other_than_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile
}

//! Which project a directory belongs to.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::owner::Owners;
use crate::config::locate::home;

/// The project that a directory belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Project {
    /// What is trusted: the root of the repository, or the directory itself.
    pub(crate) root: PathBuf,
    /// The folders from the directory up to the root.
    pub(crate) folders: Vec<PathBuf>,
    /// The owner of the root.
    pub(crate) owner: u32,
    /// The folders above that belong to a repository of another user.
    pub(crate) beyond: Vec<PathBuf>,
}

impl Project {
    /// The project of a directory; none if it does not exist.
    ///
    /// The root is the nearest folder from the directory up that holds `.git`, below the
    /// home; where there is none, or a folder in between belongs to another user, it is the
    /// directory itself. So a repository at the home is the project of the home alone.
    pub(crate) fn of(dir: &Path) -> Option<Self> {
        let dir = dir.canonicalize().ok()?;
        let owner = fs::metadata(&dir).ok()?.uid();
        let owners = Owners::person().with([owner]);
        let home = home().and_then(|home| home.canonicalize().ok());
        let (mut folders, mut own, mut is_repository) = (Vec::new(), 0, false);
        for folder in dir.ancestors() {
            if home.as_deref() == Some(folder) && folder != dir {
                break;
            }
            if own == folders.len() && is_of(folder, &owners) {
                own += 1;
            }
            folders.push(folder.to_owned());
            if folder.join(".git").symlink_metadata().is_ok() {
                is_repository = true;
                break;
            }
        }
        let mut beyond = Vec::new();
        if !is_repository || own < folders.len() {
            beyond = folders.split_off(1);
        }
        if !is_repository {
            beyond.clear();
        }
        let root = folders.last().cloned()?;
        let owner = fs::metadata(&root).ok()?.uid();
        Some(Self { root, folders, owner, beyond })
    }

    /// Whether a path lies in it, with links resolved.
    pub(crate) fn has(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|path| path.starts_with(&self.root))
    }
}

/// Whether a folder belongs to some users, and the repository in it, if there is one.
fn is_of(folder: &Path, owners: &Owners) -> bool {
    let is = |path: &Path| path.symlink_metadata().map_or(true, |found| owners.has(found.uid()));
    is(folder) && is(&folder.join(".git"))
}

#[cfg(test)]
mod tests;

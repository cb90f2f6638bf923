//! Where the files of a project's context are looked for.

use std::path::{Path, PathBuf};

use crate::settings::variable;

/// The name of the files.
const NAME: &str = "AGENTS.md";

/// A file that may be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// Where a link in its place may lead at most; none = anywhere.
    pub(super) within: Option<PathBuf>,
}

/// The places for a directory, whose path has no links in it: the user's own, then from
/// the root of the repository down.
pub(super) fn places(directory: &Path, home: Option<&Path>) -> Vec<Place> {
    let own = home.map(|home| Place { path: home.join(NAME), within: None });
    let root = root(directory);
    let mut folders: Vec<_> =
        directory.ancestors().take_while(|folder| folder.starts_with(root)).collect();
    folders.reverse();
    let of_project = folders
        .into_iter()
        .map(|folder| Place { path: folder.join(NAME), within: Some(root.to_owned()) });
    own.into_iter().chain(of_project).collect()
}

/// Where the user keeps files of their own for this command.
pub(crate) fn home() -> Option<PathBuf> {
    let config = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".config"));
    Some(config.or_else(home)?.join("legwork"))
}

/// The nearest folder that is a repository; the directory itself if there is none.
fn root(directory: &Path) -> &Path {
    // A worktree's `.git` is a file.
    let is_root = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    directory.ancestors().find(is_root).unwrap_or(directory)
}

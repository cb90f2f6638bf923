//! Which folder is the project of a directory.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::Project;

/// Folders of which some are repositories.
fn folders(repositories: &[&str]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().canonicalize().unwrap();
    fs::create_dir_all(path.join("a/b/c")).unwrap();
    for repository in repositories {
        fs::create_dir(path.join(repository).join(".git")).unwrap();
    }
    (folder, path)
}

#[track_caller]
fn check(repositories: &[&str], dir: &str, root: &str, through: &[&str]) {
    let (_kept, path) = folders(repositories);
    let project = Project::of(&path.join(dir)).unwrap();
    let below = |folder: &PathBuf| folder.strip_prefix(&path).unwrap().display().to_string();
    let folders: Vec<_> = project.folders.iter().map(below).collect();
    assert_eq!(
        (below(&project.root).as_str(), folders),
        (root, through.iter().map(ToString::to_string).collect())
    );
    assert!(project.beyond.is_empty());
}

#[test]
fn the_nearest_repository_is_the_project() {
    check(&["a"], "a/b/c", "a", &["a/b/c", "a/b", "a"]);
    check(&["a", "a/b"], "a/b/c", "a/b", &["a/b/c", "a/b"]);
    check(&["a/b/c"], "a/b", "a/b", &["a/b"]);
}

#[test]
fn without_a_repository_it_is_the_directory_alone() {
    check(&[], "a/b/c", "a/b/c", &["a/b/c"]);
}

#[test]
fn a_link_is_the_project_that_it_leads_to() {
    let (_kept, path) = folders(&["a"]);
    symlink(path.join("a/b"), path.join("link")).unwrap();
    let project = Project::of(&path.join("link/c")).unwrap();
    assert_eq!(project.root, path.join("a"));
    assert!(project.has(&path.join("link/c")) && !project.has(&path));
    assert_eq!(Project::of(Path::new("/no such directory")), None);
}

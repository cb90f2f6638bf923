use std::fs;
use std::path::PathBuf;
use std::thread;

use super::{Keeper, Snapshot};

/// Each has its settings from the next.
fn chain(root: &std::path::Path, length: usize) {
    for at in 0..length {
        let git = root.join(format!("git{at}"));
        fs::create_dir(&git).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main").unwrap();
        fs::write(git.join("commondir"), format!("../git{}", at + 1)).unwrap();
    }
}

#[test]
fn s13_4_a_chain_of_repositories_takes_no_more_stack_than_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    // Deeper than folders are looked through: it is found by what leads to it alone.
    let deep = root.join("a/b/c/d/e");
    fs::create_dir_all(&deep).unwrap();
    fs::write(root.join(".git"), "gitdir: a/b/c/d/e/git0").unwrap();
    chain(&deep, 1_000);
    fs::write(deep.join("git999/config"), "[core]").unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    let small = thread::Builder::new().stack_size(128 << 10);
    let begun = small.spawn(move || keeper.begin().unwrap().0).unwrap().join().unwrap();
    let config = deep.join("git999/config");
    assert!(begun.iter().any(|mount| mount.place == config), "{}", begun.len());
}

/// A repository with a folder next to its hooks.
fn repository() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::create_dir_all(root.join(".git/objects")).unwrap();
    fs::create_dir_all(root.join(".git/hooks/pre-commit.d/deep")).unwrap();
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main").unwrap();
    (folder, root)
}

#[test]
fn s13_4_files_in_folders_next_to_hooks_are_put_back() {
    let (_folder, root) = repository();
    let inner = root.join(".git/hooks/pre-commit.d");
    fs::write(inner.join("one"), "ours").unwrap();
    fs::write(inner.join("deep/two"), "ours").unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    for whole in ["", "pre-commit.d", "pre-commit.d/deep"] {
        let watched = keeper.begin().unwrap().1;
        fs::remove_dir_all(root.join(".git/hooks").join(whole)).unwrap();
        fs::create_dir_all(inner.join("deep")).unwrap();
        fs::write(inner.join("deep/two"), "theirs").unwrap();
        fs::write(inner.join("deep/three"), "theirs").unwrap();
        drop(watched);
        assert_eq!(fs::read_to_string(inner.join("one")).unwrap(), "ours", "{whole}");
        assert_eq!(fs::read_to_string(inner.join("deep/two")).unwrap(), "ours", "{whole}");
        assert!(!inner.join("deep/three").exists(), "{whole}");
        assert!(!keeper.notes().is_empty(), "{whole}");
    }
}

#[test]
fn s13_4_what_is_kept_of_repositories_is_bounded() {
    let (_folder, root) = repository();
    for number in 0..24 {
        let hook = root.join(format!(".git/hooks/hook{number}"));
        fs::write(hook, "x".repeat(1 << 20)).unwrap();
    }
    let snapshot = Snapshot::take(std::slice::from_ref(&root), &Snapshot::default());
    let kept = snapshot.to_bytes(&root).unwrap().unwrap().len();
    assert!((8 << 20..23 << 20).contains(&kept), "{kept} bytes");
}

#[test]
fn s13_4_a_directory_that_cannot_be_shared_is_a_gap() {
    let (_folder, root) = repository();
    let shared = Keeper::new(vec![root.clone()]);
    drop(shared.begin().unwrap());
    assert_eq!(shared.gap(), None);
    // What commands may write holds nothing that must be kept from them.
    let above = super::shared_place().parent().unwrap().to_owned();
    let unshared = Keeper::new(vec![root, above]);
    drop(unshared.begin().unwrap());
    let gap = unshared.gap().unwrap();
    assert!(gap.contains("is in a directory that commands may write"), "{gap}");
}

use std::fs;
use std::thread;

use super::Keeper;

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
    let begun = small.spawn(move || keeper.begin().0).unwrap().join().unwrap();
    let config = deep.join("git999/config");
    assert!(begun.iter().any(|mount| mount.place == config), "{}", begun.len());
}

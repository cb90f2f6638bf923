//! What nobody loses while something is put back.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::super::Keeper;
use super::{aside_folders, repository};

/// How often something appears where something is put back.
const ROUNDS: usize = 100;

fn contents(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for path in fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()) {
            match path.is_dir() {
                true => left.push(path),
                false => all.extend(fs::read_to_string(path)),
            }
        }
    }
    all
}

#[test]
fn s13_4_what_lies_where_something_is_moved_to_stays() {
    let (_folder, root) = repository();
    fs::write(root.join("precious"), "precious").unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    let watched = keeper.begin().unwrap().1;
    fs::write(root.join(".git/hooks/a"), "theirs").unwrap();
    drop(watched);
    let watched = keeper.begin().unwrap().1;
    for folder in aside_folders(&root.join(".git")) {
        fs::rename(root.join("precious"), folder.join("2-b")).unwrap();
    }
    fs::write(root.join(".git/hooks/b"), "theirs").unwrap();
    drop(watched);
    assert!(!root.join(".git/hooks/b").exists() && !root.join("precious").exists());
    assert!(contents(&root).iter().any(|text| text == "precious"));
}

/// Moves files of a person to a place until it is told to stop; what each of them holds.
fn place_files(root: &Path, place: &Path, stop: &AtomicBool) -> Vec<String> {
    let mut placed = Vec::new();
    let source: PathBuf = root.join("source");
    while !stop.load(Ordering::Relaxed) {
        let text = format!("unique {}", placed.len());
        fs::write(&source, &text).unwrap();
        // Nothing of anybody is replaced by this.
        while renameat_with(CWD, &source, CWD, place, RenameFlags::NOREPLACE).is_err() {
            if stop.load(Ordering::Relaxed) {
                return placed;
            }
        }
        placed.push(text);
    }
    placed
}

#[test]
fn s13_4_what_appears_while_something_is_put_back_is_not_replaced() {
    let (_folder, root) = repository();
    let config = root.join(".git/config");
    fs::write(&config, "mine").unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    let background = keeper.begin().unwrap().1;
    let stop = AtomicBool::new(false);
    let placed = thread::scope(|scope| {
        let person = scope.spawn(|| place_files(&root, &config, &stop));
        for round in 0..ROUNDS {
            let _ = fs::rename(&config, root.join(format!("away{round}")));
            drop(keeper.begin().unwrap());
        }
        stop.store(true, Ordering::Relaxed);
        person.join().unwrap()
    });
    drop(background);
    assert_eq!(fs::read_to_string(&config).unwrap(), "mine");
    let left = contents(&root);
    let lost: Vec<_> = placed.iter().filter(|text| !left.contains(text)).collect();
    assert!(!placed.is_empty() && lost.is_empty(), "{} of {}", lost.len(), placed.len());
}

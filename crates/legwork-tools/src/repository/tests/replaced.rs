//! That no file is lost while something is put back.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
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

#[test]
fn s13_4_no_name_that_a_command_takes_stops_putting_back() {
    let (_folder, root) = repository();
    let (git, config) = (root.join(".git"), root.join(".git/config"));
    fs::write(&config, "mine").unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    for round in 0..2 {
        let watched = keeper.begin().unwrap().1;
        for number in 0..1_000 {
            let draft = format!(".legwork-{}-{number}.tmp", std::process::id());
            fs::write(git.join(draft), "").unwrap();
            for folder in aside_folders(&git) {
                fs::write(folder.join(format!("{number}-config")), "").unwrap();
                fs::write(folder.join(format!("{number}-pre-commit")), "").unwrap();
            }
        }
        fs::write(&config, "theirs").unwrap();
        fs::write(git.join("hooks/pre-commit"), "theirs").unwrap();
        drop(watched);
        assert_eq!(fs::read_to_string(&config).unwrap(), "mine", "{round}");
        assert!(!git.join("hooks/pre-commit").exists(), "{round}: {:?}", keeper.notes());
    }
}

#[test]
fn s13_4_what_is_made_anew_belongs_to_whom_it_belonged() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root can give files to others");
        return;
    }
    let (_folder, root) = repository();
    let (git, hooks) = (root.join(".git"), root.join(".git/hooks"));
    fs::write(hooks.join("old"), "mine").unwrap();
    for path in [&git, &hooks, &hooks.join("old")] {
        chown(path, Some(65_534), Some(65_534)).unwrap();
    }
    fs::set_permissions(&hooks, fs::Permissions::from_mode(0o2775)).unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    let watched = keeper.begin().unwrap().1;
    fs::remove_dir_all(&hooks).unwrap();
    fs::write(git.join("config"), "theirs").unwrap();
    drop(watched);
    let aside = aside_folders(&git);
    for path in [&hooks, &hooks.join("old"), &aside[0]] {
        assert_eq!(fs::metadata(path).unwrap().uid(), 65_534, "{path:?}");
    }
    assert_eq!(fs::metadata(&hooks).unwrap().permissions().mode() & 0o7777, 0o2775);
}

/// Moves files of a person to a place until `stop` is set; returns their contents.
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

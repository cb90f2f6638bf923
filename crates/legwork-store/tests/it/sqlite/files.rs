//! Whose the files are, and where they may lie.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use legwork_port::Store as _;
use legwork_port::store::{Error, Query};
use legwork_store::sqlite::Store;

use super::folder::Folder;
use crate::child::Child;
use crate::disk::Disk;
use crate::sample::{numbers, session, write};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn all_files_are_the_owners_alone_whatever_the_umask() {
    for umask in ["000", "022", "077", "277"] {
        let folder = Folder::new();
        let db = folder.path().join("deep").join("er").join("store.db");
        let mut shell = Command::new("sh");
        let script = format!("umask {umask}; exec \"$0\" \"$@\"");
        shell.arg("-c").arg(script).arg(std::env::current_exe().unwrap());
        let mut child = Child::start_by(shell, "hold", &db);
        child.next_line().unwrap();
        let found = files(folder.path());
        // The database, its log, its index, and the claim.
        assert_eq!(found.len(), 4, "{found:?}");
        for path in found {
            assert_eq!(mode(&path), 0o600, "{} under umask {umask}", path.display());
        }
        for inner in ["deep", "deep/er", "deep/er/store.db-claims"] {
            assert_eq!(mode(&folder.path().join(inner)), 0o700, "{inner} under umask {umask}");
        }
        child.kill();
    }
}

/// Names that mean something else in other places.
pub(crate) const ODD_NAMES: [&str; 7] =
    ["a b.db", "50%.db", "50%25.db", "q?x=1#y.db", "file:x.db", ":memory:", "漢字.db"];

#[tokio::test]
async fn a_path_may_hold_anything() {
    for name in ODD_NAMES {
        let folder = Folder::new();
        let path = folder.path().join(name);
        write(&Store::open(&path).unwrap(), &session("s"), &[1..=2]).await;
        assert!(path.is_file(), "{name}");
        assert_eq!(numbers(&Store::open(&path).unwrap(), &session("s")).await, [1, 2], "{name}");
    }
}

#[test]
fn a_store_shows_where_it_is() {
    let folder = Folder::new();
    let shown = format!("{:?}", folder.store());
    let path = folder.db().canonicalize().unwrap();
    assert!(shown.starts_with("Store") && shown.contains(path.to_str().unwrap()), "{shown}");
}

#[test]
fn an_impossible_path_is_an_error() {
    let folder = Folder::new();
    let file = folder.path().join("file");
    fs::write(&file, "no folder").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
    for (path, said) in [
        (folder.path().to_owned(), "it is a folder"),
        (file.join("store.db"), "it cannot be opened"),
        (link, "it cannot be opened"),
    ] {
        let error = Store::open(&path).unwrap_err();
        assert!(matches!(error, Error::Unusable { .. }), "{error}");
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[test]
fn a_path_that_cannot_be_written_is_an_error() {
    let folder = Folder::new();
    let disk = Disk::new(folder.path(), "1m");
    if disk.freeze() {
        for path in ["store.db", "folder/store.db"] {
            let error = Store::open(folder.path().join(path)).unwrap_err().to_string();
            // Not what comes of it later: that there is no such file.
            assert!(error.contains("it cannot be made"), "{error}");
            assert!(!error.contains("No such file"), "{error}");
        }
    }
}

#[tokio::test]
async fn claims_that_cannot_be_taken_are_errors() {
    let folder = Folder::new();
    let store = folder.store();
    let claims = folder.path().join("store.db-claims");
    let _ = fs::remove_dir(&claims);
    fs::write(&claims, "no folder").unwrap();
    let claimed = store.claim(&session("s")).await.err().unwrap();
    let looked = store.is_claimed(&session("s")).await.unwrap_err();
    let claimed = (claimed, "cannot be taken", "is not a folder");
    for (error, said, why) in [claimed, (looked, "cannot be looked at", "Not a directory")] {
        assert!(matches!(error, Error::Failed { .. }), "{error}");
        let words = error.to_string();
        assert!(words.contains(said) && words.contains(why), "{words}");
    }
    fs::remove_file(&claims).unwrap();
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &claims).unwrap();
    let error = store.claim(&session("s")).await.err().unwrap().to_string();
    assert!(error.contains("store.db-claims is not a folder"), "{error}");
    assert_eq!(store.is_claimed(&session("s")).await.unwrap(), Some(false));
}

#[tokio::test]
async fn what_is_opened_again_is_as_it_was() {
    let folder = Folder::new();
    for round in 0..5 {
        let store = folder.store();
        write(&store, &session("s"), &[]).await;
        let claim = store.claim(&session("s")).await.unwrap();
        crate::sample::append(&*claim, round * 2 + 1..=round * 2 + 2).await;
    }
    assert_eq!(numbers(&folder.store(), &session("s")).await, (1..=10).collect::<Vec<_>>());
    let info = folder.store().sessions(&Query::first(10)).await.unwrap().sessions;
    assert_eq!(info[0].entries, 10);
    assert_eq!(files(folder.path()).len(), 3, "the database, its log and its index");
}

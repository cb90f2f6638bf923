use std::fs;
use std::io::ErrorKind;

use rustix::fs::{FlockOperation, fcntl_lock};

use super::*;
use crate::secret::Secrets;

/// A workspace with the file of a store in it, locked by this process, and a plain file.
fn place() -> (tempfile::TempDir, Tree, File) {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.db"), "the store").expect("written");
    fs::write(dir.path().join("plain"), "words").expect("written");
    let held = File::options().write(true).open(dir.path().join("a.db")).expect("opened");
    fcntl_lock(&held, FlockOperation::NonBlockingLockExclusive).expect("a lock");
    let secrets = Secrets::default().with_store(dir.path().join("a.db"));
    let workspace = Workspace::open(dir.path()).expect("opened");
    let workspace = workspace.keep_out(&secrets).expect("kept out");
    let tree = Tree::open(&workspace).expect("opened");
    (dir, tree, held)
}

/// Whether another process could lock the file.
fn is_locked(path: &Path) -> bool {
    let script =
        "import fcntl,sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)";
    let python = std::process::Command::new("python3").args(["-c", script]).arg(path).output();
    !python.expect("python3").status.success()
}

#[test]
fn s13_9_what_took_the_place_of_a_file_keeps_the_locks_of_the_store() {
    let (dir, tree, _held) = place();
    let store = dir.path().join("a.db");
    assert!(is_locked(&store) && !is_locked(&dir.path().join("plain")), "from the start");
    let swapped = File::open(&store).expect("opened");
    let refused = opener::opened(&tree, Path::new("plain"), swapped).expect_err("refused");
    assert_eq!(refused.kind(), ErrorKind::PermissionDenied);
    assert!(is_locked(&store), "and is kept open");
}

#[test]
fn a_directory_that_took_the_place_of_another_is_searched() {
    let (dir, tree, _held) = place();
    let folder = dir.path().join("folder");
    let write = |name: &str| {
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(name), name).expect("written");
    };
    write("a");
    write("b");
    let mut opener = opener::Opener::new(&tree);
    assert!(opener.file(Path::new("folder/a")).expect("opened").is_some());
    fs::remove_dir_all(&folder).expect("removed");
    write("b");
    assert!(opener.file(Path::new("folder/b")).expect("opened").is_some());
    assert_eq!(opener.file(Path::new("folder/a")).expect_err("gone").kind(), ErrorKind::NotFound);
}

#[test]
fn s13_9_a_file_of_the_store_that_was_made_or_moved_meanwhile_is_known() {
    let (dir, tree, _held) = place();
    let at = |name: &str| dir.path().join(name);
    let refused = |name: &str| {
        let opened = opener::Opener::new(&tree).file(Path::new(name));
        assert_eq!(opened.expect_err("refused").kind(), ErrorKind::PermissionDenied, "{name}");
    };
    fs::write(at("a.db-wal"), "the log").expect("written");
    fs::hard_link(at("a.db-wal"), at("log")).expect("a link");
    refused("log");
    fs::rename(at("a.db"), at("moved")).expect("moved");
    refused("moved");
}

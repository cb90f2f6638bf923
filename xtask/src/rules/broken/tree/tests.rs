use super::*;

fn make(root: &Path, files: &[(&str, &str)]) {
    for (file, text) in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn listed(root: &Path) -> Vec<String> {
    files(root).unwrap().iter().map(|path| path.display().to_string()).collect()
}

#[test]
fn the_copy_is_what_the_tree_is() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (from, to) = (from.path(), to.path());
    make(from, &[("a.rs", "a"), ("b/c.rs", "c"), (".cargo/config.toml", "x")]);
    make(from, &[("target/debug/x", "built"), (".git/HEAD", "ref"), ("b/target/y", "built")]);
    mirror(from, to).unwrap();
    assert_eq!(listed(to), [".cargo/config.toml", "a.rs", "b/c.rs"]);
    assert!(!to.join("target").exists() && !to.join(".git").exists());

    // What a run that was interrupted left there, and what is new and gone in the tree.
    make(to, &[("a.rs", "mutated")]);
    make(from, &[("d/e.rs", "e")]);
    fs::remove_dir_all(from.join("b")).unwrap();
    mirror(from, to).unwrap();
    assert_eq!(listed(to), [".cargo/config.toml", "a.rs", "d/e.rs"]);
    assert_eq!(fs::read_to_string(to.join("a.rs")).unwrap(), "a");
    assert!(!to.join("b").exists(), "an empty folder is left");
}

#[test]
fn what_did_not_change_keeps_its_time() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    make(from.path(), &[("a", "a"), ("b", "b")]);
    mirror(from.path(), to.path()).unwrap();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000);
    for file in ["a", "b"] {
        let file = fs::File::options().append(true).open(to.path().join(file)).unwrap();
        file.set_modified(old).unwrap();
    }
    make(from.path(), &[("b", "new")]);
    mirror(from.path(), to.path()).unwrap();
    let time = |file| fs::metadata(to.path().join(file)).unwrap().modified().unwrap();
    assert_eq!(time("a"), old);
    assert!(time("b") > old);
}

#[cfg(unix)]
#[test]
fn links_to_files_are_files_and_links_to_folders_are_left() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    make(from.path(), &[("run.sh", "#!/bin/sh")]);
    fs::set_permissions(from.path().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("run.sh", from.path().join("link")).unwrap();
    symlink(".", from.path().join("around")).unwrap();
    symlink("nowhere", from.path().join("dangling")).unwrap();
    mirror(from.path(), to.path()).unwrap();
    assert_eq!(listed(to.path()), ["link", "run.sh"]);
    let mode = fs::metadata(to.path().join("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
}

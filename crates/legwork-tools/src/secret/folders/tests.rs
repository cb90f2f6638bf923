use std::fs;
use std::os::unix::fs::symlink;

use super::Folders;

#[test]
fn a_place_is_named_by_the_folders_that_are_there() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir(root.join("real")).unwrap();
    symlink(root.join("real"), root.join("link")).unwrap();
    symlink(root.join("gone"), root.join("broken")).unwrap();
    let mut folders = Folders::default();
    let cases = [
        ("file", "file"),
        ("link", "link"),
        ("link/file", "real/file"),
        ("link/none/file", "real/none/file"),
        ("none/deeper/file", "none/deeper/file"),
        ("broken/file", "broken/file"),
        ("link/../file", "file"),
    ];
    for (place, wanted) in cases {
        let named = folders.named(&root.join(place)).unwrap();
        assert_eq!(named, root.join(wanted), "{place}");
    }
    assert_eq!(folders.real(&root.join("link")).unwrap(), root.join("real"));
    assert!(folders.real(&root.join("none/deeper")).is_none());
}

#[test]
fn a_folder_is_asked_for_once() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().canonicalize().unwrap().join("folder");
    let mut folders = Folders::default();
    assert!(folders.real(&folder).is_none());
    fs::create_dir(&folder).unwrap();
    assert!(folders.real(&folder).is_none());
    assert_eq!(Folders::default().real(&folder), Some(folder));
}

//! Stores of other versions, and folders of something else.

use std::fs;

use legwork_port::store::Error;
use legwork_store::jsonl::{Store, VERSION};

use super::folder::Folder;
use crate::sample::{numbers, session, write};

#[tokio::test]
async fn s8_5_a_store_of_a_newer_version_is_left_alone() {
    let folder = Folder::new();
    write(&folder.store(), &session("s"), &[1..=2]).await;
    let mark = folder.root().join("legwork.json");
    let known = fs::read_to_string(&mark).unwrap();
    assert_eq!(known, format!("{{\"store\":\"jsonl\",\"version\":{VERSION}}}\n"));
    fs::write(&mark, "{\"store\":\"jsonl\",\"version\":2,\"more\":[]}").unwrap();
    let error = Store::open(folder.root()).unwrap_err();
    assert!(matches!(error, Error::Newer { found: 2, known: 1, .. }), "{error}");
    assert!(error.to_string().contains("use a newer Legwork"), "{error}");
    fs::write(&mark, known).unwrap();
    assert_eq!(numbers(&folder.store(), &session("s")).await, [1, 2]);
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let folder = Folder::new();
    fs::create_dir(folder.root()).unwrap();
    fs::write(folder.root().join("thesis.txt"), "words").unwrap();
    let error = Store::open(folder.root()).unwrap_err();
    assert!(matches!(error, Error::Unusable { .. }), "{error}");
    assert!(error.to_string().contains("holds something else"), "{error}");
    assert_eq!(fs::read_dir(folder.root()).unwrap().count(), 1);
    for (mark, said) in [("{\"store\":\"tape\",\"version\":1}", "another kind"), ("{", "damaged")] {
        fs::write(folder.root().join("legwork.json"), mark).unwrap();
        let error = Store::open(folder.root()).unwrap_err();
        assert!(matches!(error, Error::Unusable { .. }), "{error}");
        assert!(error.to_string().contains(said), "{error}");
    }
}

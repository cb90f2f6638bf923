//! What is particular to claims that are locks on files.

use std::fs;

use legwork_port::Store as _;
use legwork_store::sqlite::Store;

use super::folder::Folder;
use crate::sample::{session, write};

#[tokio::test]
async fn s8_3_one_file_has_one_set_of_claims_whatever_links_lead_to_it() {
    let folder = Folder::new();
    let store = folder.store();
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(folder.db(), &link).unwrap();
    let linked = Store::open(&link).unwrap();
    let _held = store.claim(&session("s")).await.unwrap();
    assert!(linked.claim(&session("s")).await.is_err_and(|error| error.is_conflict()));
}

#[tokio::test]
async fn s8_3_a_refusal_says_who_holds_it() {
    let folder = Folder::new();
    let store = folder.store();
    let _held = store.claim(&session("s")).await.unwrap();
    let error = store.claim(&session("s")).await.err().unwrap().to_string();
    assert!(error.contains("session s") && error.contains("this process"), "{error}");
}

#[tokio::test]
async fn no_lock_is_left_behind() {
    let folder = Folder::new();
    let store = folder.store();
    for name in ["a", "b", "c"] {
        write(&store, &session(name), &[1..=1]).await;
    }
    let left = fs::read_dir(folder.path().join("store.db-claims")).unwrap().count();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_claim_outlives_the_store_it_came_from() {
    let folder = Folder::new();
    let store = folder.store();
    let claim = store.claim(&session("s")).await.unwrap();
    drop(store);
    crate::sample::append(&*claim, 1..=2).await;
    drop(claim);
    assert_eq!(crate::sample::numbers(&folder.store(), &session("s")).await, [1, 2]);
}

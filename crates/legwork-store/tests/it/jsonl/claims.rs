//! What is particular to claims that are locks on files.

use std::fs;

use legwork_core::Seq;
use legwork_port::Store as _;
use legwork_port::store::Batch;
use legwork_store::jsonl::Store;

use super::folder::Folder;
use crate::open_files;
use crate::sample::{append, entries, numbers, session, write};

#[tokio::test]
async fn s8_3_one_folder_has_one_set_of_claims_whatever_links_lead_to_it() {
    let folder = Folder::new();
    let store = folder.store();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.root(), &link).unwrap();
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
    store.remove(&[session("a")]).await.unwrap();
    let left = fs::read_dir(folder.root().join("claims")).unwrap().count();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_claim_outlives_the_store_it_came_from() {
    let folder = Folder::new();
    let store = folder.store();
    let claim = store.claim(&session("s")).await.unwrap();
    drop(store);
    append(&*claim, 1..=2).await;
    drop(claim);
    assert_eq!(numbers(&folder.store(), &session("s")).await, [1, 2]);
}

#[tokio::test]
async fn a_closed_store_has_written_everything() {
    let folder = Folder::new();
    let store = folder.store();
    let claim = store.claim(&session("s")).await.unwrap();
    append(&*claim, 1..=2).await;
    claim.release().await.unwrap();
    store.close().await;
    assert_eq!(open_files::below(folder.path()), Vec::<std::path::PathBuf>::new());
    assert_eq!(numbers(&folder.store(), &session("s")).await, [1, 2]);
}

#[tokio::test]
async fn sessions_that_nobody_works_in_have_no_file_open() {
    let folder = Folder::new();
    let store = folder.store();
    for number in 0..20 {
        let name = session(&number.to_string());
        write(&store, &name, &[1..=2]).await;
        store.post(&name, "key", &legwork_core::inbox::Item::Stop("x".into())).await.unwrap();
        assert_eq!(numbers(&store, &name).await, [1, 2]);
    }
    assert_eq!(open_files::below(folder.path()), Vec::<std::path::PathBuf>::new());
    let claim = store.claim(&session("0")).await.unwrap();
    append(&*claim, 3..=3).await;
    let open = open_files::below(folder.path()).len();
    assert!((1..=4).contains(&open), "{open} files are open under a claim");
    drop(claim);
    assert_eq!(open_files::below(folder.path()), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn s8_3_a_claim_writes_nowhere_once_its_session_was_taken_away() {
    let folder = Folder::new();
    let store = folder.store();
    let claim = store.claim(&session("s")).await.unwrap();
    append(&*claim, 1..=1).await;
    fs::remove_dir_all(folder.session("s")).unwrap();
    let error = claim.append(Seq(1), Batch::of(&entries(2..=2))).await.unwrap_err();
    assert!(error.is_conflict() && error.to_string().contains("removed"), "{error}");
    assert!(claim.renew().await.is_err_and(|error| error.is_conflict()));
    assert!(!folder.session("s").exists());
}

#[tokio::test]
async fn an_append_goes_to_the_file_that_has_the_name_of_the_journal() {
    let folder = Folder::new();
    let store = folder.store();
    let claim = store.claim(&session("s")).await.unwrap();
    append(&*claim, 1..=1).await;
    // As an editor or a restored copy replaces it.
    let (journal, copy) = (folder.session("s").join("journal.jsonl"), folder.path().join("copy"));
    fs::copy(&journal, &copy).unwrap();
    fs::rename(&copy, &journal).unwrap();
    append(&*claim, 2..=2).await;
    drop(claim);
    assert_eq!(fs::read_to_string(&journal).unwrap().lines().count(), 2);
}

//! No room.

use legwork_core::Seq;
use legwork_core::inbox::Item;
use legwork_port::Store as _;
use legwork_port::store::{Batch, Error};
use legwork_store::sqlite::{Options, Store};

use super::folder::Folder;
use crate::disk::Disk;
use crate::sample::{append, numbers, said, session};

/// Appends until it fails, and sees that what failed left nothing.
async fn fill(store: &Store) -> u64 {
    let name = session("s");
    let claim = store.claim(&name).await.unwrap();
    let text = "x".repeat(10_000);
    let mut last = 0;
    let error = loop {
        let two = [said(last + 1, &text), said(last + 2, &text)];
        match claim.append(Seq(last), Batch::of(&two)).await {
            Ok(_) => last += 2,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Failed { .. }), "{error}");
    assert!(error.to_string().contains("disk is full"), "{error}");
    assert_eq!(numbers(store, &name).await, (1..=last).collect::<Vec<_>>());
    assert!(last > 2, "some of it found room");
    last
}

#[tokio::test]
async fn s12_1_a_store_that_may_not_grow_says_so_and_stays_whole() {
    let folder = Folder::new();
    let store = Options::new().max_bytes(300_000).open(folder.db()).unwrap();
    let last = fill(&store).await;
    let large = Item::Stop("y".repeat(100_000));
    let error = store.post(&session("s"), "key", &large).await.unwrap_err();
    assert!(error.to_string().contains("disk is full"), "{error}");
    drop(store);

    let store = folder.store();
    let claim = store.claim(&session("s")).await.unwrap();
    append(&*claim, last + 1..=last + 3).await;
    assert_eq!(numbers(&store, &session("s")).await, (1..=last + 3).collect::<Vec<_>>());
    let inbox = store.inbox(&session("s"), <_>::default()).await.unwrap();
    assert!(inbox.is_empty(), "a post that failed left something");
}

#[tokio::test]
async fn s12_1_a_full_disk_is_an_error_and_the_store_goes_on_when_there_is_room() {
    let folder = Folder::new();
    let disk = Disk::new(folder.path(), "600k");
    if !disk.is_mounted() {
        return;
    }
    let ballast = folder.path().join("ballast");
    std::fs::write(&ballast, vec![0; 200_000]).unwrap();
    let store = folder.store();
    let last = fill(&store).await;

    std::fs::remove_file(ballast).unwrap();
    let claim = store.claim(&session("s")).await.unwrap();
    append(&*claim, last + 1..=last + 3).await;
    assert_eq!(numbers(&store, &session("s")).await, (1..=last + 3).collect::<Vec<_>>());
}

//! No room.

use std::io::Write as _;

use legwork_core::inbox::{Cursor, Item};
use legwork_core::{Seq, Summary, Timestamp};
use legwork_port::Store as _;
use legwork_port::store::{Batch, DueQuery, Error, Query, Range};

use super::folder::Folder;
use crate::disk::Disk;
use crate::sample::{append, numbers, said, session};

#[tokio::test]
async fn s12_1_a_full_disk_is_an_error_and_the_store_goes_on_when_there_is_room() {
    let folder = Folder::new();
    let disk = Disk::new(folder.path(), "600k");
    if !disk.is_mounted() {
        return;
    }
    let ballast = folder.path().join("ballast");
    std::fs::write(&ballast, vec![0; 200_000]).unwrap();
    let (store, name) = (folder.store(), session("s"));
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
    is_full(&error);
    assert!(last > 2, "some of it found room");
    let loaded = store.read(&name, Range::ALL).await.unwrap();
    assert_eq!((loaded.journal.version(), loaded.damage), (Seq(last), None));
    let large = Item::Stop("y".repeat(100_000));
    is_full(&store.post(&name, "key", &large).await.unwrap_err());
    assert!(store.inbox(&name, <_>::default()).await.unwrap().is_empty());

    std::fs::remove_file(ballast).unwrap();
    append(&*claim, last + 1..=last + 3).await;
    assert_eq!(numbers(&store, &name).await, (1..=last + 3).collect::<Vec<_>>());
    store.post(&name, "key", &large).await.unwrap();
    assert_eq!(store.inbox(&name, <_>::default()).await.unwrap().len(), 1);
}

/// An append that is durable returns, though what lists show found no room.
#[tokio::test]
async fn s8_9_a_session_whose_head_found_no_room_is_due_until_it_is_claimed() {
    let folder = Folder::new();
    let disk = Disk::new(folder.path(), "600k");
    if !disk.is_mounted() {
        return;
    }
    let (store, name) = (folder.store(), session("s"));
    let claim = store.claim(&name).await.unwrap();
    append(&*claim, 1..=2).await;
    store.post(&name, "key", &Item::Stop("enough".into())).await.unwrap();
    let ballast = folder.path().join("ballast");
    let mut file = std::fs::File::create(&ballast).unwrap();
    while file.write_all(&[0; 512]).is_ok() {}

    // The entry fits behind those before it; the summary needs room of its own.
    let mut summary = Summary::default();
    summary.taken = Cursor(1);
    summary.labels = (0..100).map(|number| format!("{number:0100}")).collect();
    let batch = [said(3, "enough")];
    claim.append(Seq(2), Batch::of(&batch).with_summary(&summary)).await.unwrap();
    claim.release().await.unwrap();
    let due = || async { store.due(&DueQuery::at(Timestamp(u64::MAX))).await.unwrap().sessions };
    let listed = || async { store.sessions(&Query::all()).await.unwrap().sessions };
    assert!(listed().await[0].summary.labels.is_empty(), "the head found room");
    assert_eq!(due().await.len(), 1);

    std::fs::remove_file(ballast).unwrap();
    store.claim(&name).await.unwrap().release().await.unwrap();
    assert_eq!(listed().await[0].entries, 3);
    assert_eq!(numbers(&store, &name).await, [1, 2, 3]);
}

fn is_full(error: &Error) {
    assert!(matches!(error, Error::Failed { .. }), "{error}");
    let words = error.to_string();
    assert!(words.contains("disk is full") && words.contains(".jsonl"), "{words}");
}

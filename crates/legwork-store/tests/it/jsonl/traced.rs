//! What a subscriber of `tracing` sees of a store.

use std::fs;

use legwork_core::Seq;
use legwork_core::inbox::Item;
use legwork_port::Store as _;
use legwork_port::store::{Batch, Removal};

use super::folder::Folder;
use crate::recorder::Recorder;
use crate::sample::{append, entries, session, write};

const CRATE: &str = "legwork_store";

/// Bytes of entries as they are written.
fn bytes(range: std::ops::RangeInclusive<u64>) -> usize {
    // A line break each, and a space for each but the last.
    entries(range).iter().map(|entry| entry.encode().unwrap().len() + 2).sum::<usize>() - 1
}

#[tokio::test]
async fn the_life_of_a_store_is_a_line_for_each_fact() {
    let (recorder, _guard) = Recorder::start();
    let folder = Folder::new();
    let (store, name) = (folder.store(), session("s"));
    store.post(&name, "a", &Item::Stop("enough".into())).await.unwrap();
    let claim = store.claim(&name).await.unwrap();
    let fence = claim.fence().0;
    append(&*claim, 1..=2).await;
    claim.release().await.unwrap();
    assert_eq!(store.remove(&[name]).await.unwrap(), Removal::Complete);

    let path = fs::canonicalize(folder.root()).unwrap();
    let path = path.display();
    let expected = [
        format!("INFO a store was opened path={path} read_only=false"),
        "TRACE an item was posted session=s cursor=1".to_owned(),
        format!("DEBUG a claim was taken session=s fence={fence}"),
        format!("TRACE entries were appended session=s entries=2 bytes={}", bytes(1..=2)),
        format!("DEBUG a claim was released session=s fence={fence}"),
        "INFO sessions were removed sessions=1".to_owned(),
    ];
    assert_eq!(recorder.lines(CRATE), expected);
    let everything = recorder.everything();
    assert!(!everything.contains("this is entry") && !everything.contains("enough"));
}

#[tokio::test]
async fn a_lost_claim_and_damage_are_warnings() {
    let folder = Folder::new();
    let (store, name) = (folder.store(), session("s"));
    let claim = store.claim(&name).await.unwrap();
    append(&*claim, 1..=1).await;
    let fence = claim.fence().0;
    // The lock is on a file: without the file there is none.
    fs::remove_dir_all(folder.root().join("claims")).unwrap();
    let other = store.claim(&name).await.unwrap();
    let (recorder, _guard) = Recorder::start();
    claim.append(Seq(1), Batch::of(&entries(2..=2))).await.unwrap_err();
    claim.renew().await.unwrap_err();
    let lost = format!(
        "WARN a claim was lost: the session was claimed or removed since session=s fence={fence}"
    );
    assert_eq!(recorder.lines(CRATE), [lost.clone(), lost]);
    drop((claim, other));
    write(&store, &name, &[2..=4]).await;
    let journal = fs::read(folder.journal("s")).unwrap();
    fs::write(folder.journal("s"), &journal[..journal.len() - 9]).unwrap();
    let claim = store.claim(&name).await.unwrap();
    append(&*claim, 2..=2).await;
    let warning = "WARN damage after the last whole entry was set aside session=s last=1";
    assert!(recorder.lines(CRATE).contains(&warning.to_owned()), "{:?}", recorder.lines(CRATE));
}

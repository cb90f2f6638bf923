//! What a subscriber of `tracing` sees of a store.

use std::fs;
use std::time::Duration;

use legwork_core::Seq;
use legwork_core::inbox::Item;
use legwork_port::Store as _;
use legwork_port::store::{Batch, Removal};
use legwork_store::sqlite::Options;

use crate::recorder::Recorder;
use crate::sample::{Folder, append, entries, session, write};

const CRATE: &str = "legwork_store";

/// Bytes of entries as they are written: one a line.
fn bytes(range: std::ops::RangeInclusive<u64>) -> usize {
    let lines = entries(range).iter().map(|entry| entry.encode().unwrap().len() + 1).sum::<usize>();
    lines - 1
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
    append(&*claim, 3..=3).await;
    claim.release().await.unwrap();
    assert_eq!(store.remove(&[name]).await.unwrap(), Removal::Complete);
    drop(store);
    drop(Options::new().read_only().open(folder.db()).unwrap());

    let path = fs::canonicalize(folder.db()).unwrap();
    let path = path.display();
    let expected = [
        format!("INFO a schema was created path={path} version=2"),
        format!("INFO a store was opened path={path} read_only=false"),
        "TRACE an item was posted session=s cursor=1".to_owned(),
        format!("DEBUG a claim was taken session=s fence={fence}"),
        format!("TRACE entries were appended session=s entries=2 bytes={}", bytes(1..=2)),
        format!("TRACE entries were appended session=s entries=1 bytes={}", bytes(3..=3)),
        format!("DEBUG a claim was released session=s fence={fence}"),
        "INFO sessions were removed sessions=1".to_owned(),
        format!("INFO a store was opened path={path} read_only=true"),
    ];
    assert_eq!(recorder.lines(CRATE), expected);
    let everything = recorder.everything();
    assert!(!everything.contains("this is entry") && !everything.contains("enough"));
}

#[tokio::test]
async fn a_lost_claim_is_a_warning_when_it_is_noticed() {
    let folder = Folder::new();
    let (store, name) = (folder.store(), session("s"));
    let claim = store.claim(&name).await.unwrap();
    let fence = claim.fence().0;
    // The lock is on a file: without the file there is none.
    fs::remove_dir_all(folder.path().join("store.db-claims")).unwrap();
    let other = store.claim(&name).await.unwrap();
    append(&*other, 1..=1).await;
    let (recorder, _guard) = Recorder::start();
    claim.append(Seq(0), Batch::of(&entries(1..=1))).await.unwrap_err();
    claim.renew().await.unwrap_err();
    other.renew().await.unwrap();
    // Another conflict than that of a lost claim.
    other.append(Seq(0), Batch::of(&entries(1..=1))).await.unwrap_err();
    let lost = format!(
        "WARN a claim was lost: the session was claimed or removed since session=s fence={fence}"
    );
    assert_eq!(recorder.lines(CRATE), [lost.clone(), lost]);
}

#[tokio::test]
async fn damage_is_a_warning_once_it_is_set_aside() {
    let folder = Folder::new();
    let (store, name) = (folder.store(), session("hurt"));
    write(&store, &name, &[1..=3, 4..=6]).await;
    let sql = "UPDATE journal SET entries = substr(entries, 1, length(entries) - 20)
        WHERE id = (SELECT max(id) FROM journal)";
    assert_eq!(folder.sqlite().execute(sql, ()).unwrap(), 1);
    let claim = store.claim(&name).await.unwrap();
    let (recorder, _guard) = Recorder::start();
    append(&*claim, 6..=6).await;
    append(&*claim, 7..=7).await;
    let expected = [
        "WARN damaged rows after the last whole entry were set aside session=hurt last=5"
            .to_owned(),
        format!("TRACE entries were appended session=hurt entries=1 bytes={}", bytes(6..=6)),
        format!("TRACE entries were appended session=hurt entries=1 bytes={}", bytes(7..=7)),
    ];
    assert_eq!(recorder.lines(CRATE), expected);
}

#[tokio::test]
async fn a_removal_that_leaves_copies_is_a_warning() {
    let folder = Folder::new();
    let store = Options::new().patience(Duration::ZERO).open(folder.db()).unwrap();
    write(&store, &session("s"), &[1..=3]).await;
    let reader = folder.sqlite();
    let reading = reader.unchecked_transaction().unwrap();
    reading.query_row("SELECT count(*) FROM journal", (), |_| Ok(())).unwrap();
    let (recorder, _guard) = Recorder::start();
    let removal = store.remove(&[session("s")]).await.unwrap();
    assert!(matches!(removal, Removal::Traces(_)), "{removal:?}");
    let lines = recorder.lines(CRATE);
    let expected = "WARN sessions were removed, but copies may be left in the files sessions=1 ";
    assert!(lines.last().unwrap().starts_with(expected), "{lines:?}");
}

//! Reading alone.

use std::fs;
use std::path::PathBuf;

use legwork_core::Timestamp;
use legwork_core::inbox::{Cursor, Item};
use legwork_port::Store as _;
use legwork_port::store::{DueQuery, Error, Query};
use legwork_store::jsonl::{Options, Store};

use super::folder::{Folder, files};
use crate::disk::Disk;
use crate::sample::{append, numbers, session, write};

async fn reads_and_refuses_to_write(store: &Store) {
    let name = session("s");
    assert_eq!(numbers(store, &name).await, [1, 2, 3]);
    assert_eq!(store.sessions(&Query::first(9)).await.unwrap().sessions.len(), 1);
    assert_eq!(store.inbox(&name, Cursor(0)).await.unwrap().len(), 1);
    let due = store.due(&DueQuery::at(Timestamp(u64::MAX))).await.unwrap();
    assert_eq!(due.sessions.len(), 1);
    let item = Item::Stop("no".into());
    let refused = [
        store.claim(&name).await.map(drop).unwrap_err(),
        store.post(&name, "key", &item).await.map(drop).unwrap_err(),
        store.remove(&[name]).await.map(drop).unwrap_err(),
    ];
    for error in refused {
        assert!(matches!(error, Error::Unusable { .. }), "{error}");
        assert!(error.to_string().contains("can only be read"), "{error}");
    }
}

async fn filled(folder: &Folder) {
    let store = folder.store();
    write(&store, &session("s"), &[1..=3]).await;
    store.post(&session("s"), "key", &Item::Stop("enough".into())).await.unwrap();
}

fn everything(folder: &Folder) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all: Vec<_> = files(folder.path())
        .into_iter()
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    all.sort();
    all
}

#[tokio::test]
async fn s8_5_reading_alone_changes_no_byte() {
    let folder = Folder::new();
    filled(&folder).await;
    let before = everything(&folder);
    let store = Options::new().read_only().open(folder.root()).unwrap();
    reads_and_refuses_to_write(&store).await;
    drop(store);
    assert_eq!(everything(&folder), before);
}

#[tokio::test]
async fn s8_5_a_store_on_a_disk_that_cannot_be_written_is_read() {
    let folder = Folder::new();
    let disk = Disk::new(folder.path(), "4m");
    if !disk.is_mounted() {
        return;
    }
    filled(&folder).await;
    if disk.freeze() {
        reads_and_refuses_to_write(&folder.store()).await;
        let store = Options::new().read_only().open(folder.root()).unwrap();
        reads_and_refuses_to_write(&store).await;
    }
}

#[tokio::test]
async fn reading_alone_makes_no_store() {
    let folder = Folder::new();
    let error = Options::new().read_only().open(folder.root()).unwrap_err();
    assert!(matches!(error, Error::Unusable { .. }), "{error}");
    assert!(error.to_string().contains("no such folder"), "{error}");
    fs::create_dir(folder.root()).unwrap();
    // Whoever was making it died: there is nothing in it.
    let store = Options::new().read_only().open(folder.root()).unwrap();
    assert_eq!(store.sessions(&Query::first(1)).await.unwrap().sessions, []);
    assert!(store.claim(&session("s")).await.is_err());
    assert_eq!(fs::read_dir(folder.root()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_reader_sees_what_a_writer_adds() {
    let folder = Folder::new();
    let writer = folder.store();
    write(&writer, &session("s"), &[1..=3]).await;
    let reader = Options::new().read_only().open(folder.root()).unwrap();
    assert_eq!(numbers(&reader, &session("s")).await, [1, 2, 3]);
    let claim = writer.claim(&session("s")).await.unwrap();
    append(&*claim, 4..=4).await;
    assert_eq!(numbers(&reader, &session("s")).await, [1, 2, 3, 4]);
}

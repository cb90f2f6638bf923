//! Stores that may only be read.

use std::fs;
use std::time::Duration;

use legwork_core::inbox::{Cursor, Item};
use legwork_port::Store as _;
use legwork_port::store::{Error, Query};
use legwork_store::sqlite::{Options, Store};

use super::files::ODD_NAMES;
use super::folder::Folder;
use crate::child::Child;
use crate::disk::Disk;
use crate::sample::{numbers, session, write};

async fn reads_and_refuses_to_write(store: &Store) {
    let name = session("s");
    assert_eq!(numbers(store, &name).await, [1, 2, 3]);
    assert_eq!(store.sessions(&Query::first(10)).await.unwrap().sessions.len(), 1);
    assert_eq!(store.inbox(&name, Cursor(0)).await.unwrap().len(), 0);
    let claimed = store.claim(&name).await.err().unwrap();
    let posted = store.post(&name, "key", &Item::Stop("enough".into())).await.unwrap_err();
    for error in [claimed, posted] {
        assert!(matches!(error, Error::Unusable { .. }), "{error}");
        assert!(error.to_string().contains("can only be read"), "{error}");
    }
}

#[tokio::test]
async fn s8_5_a_store_on_a_read_only_disk_can_be_read() {
    let folder = Folder::new();
    let disk = Disk::new(folder.path(), "2m");
    write(&folder.store(), &session("s"), &[1..=3]).await;
    if disk.freeze() {
        // With the log and its index there.
        reads_and_refuses_to_write(&folder.store()).await;
        let again = Options::new().read_only().open(folder.db()).unwrap();
        reads_and_refuses_to_write(&again).await;
    }
}

#[tokio::test]
async fn s8_5_a_tidy_file_on_a_read_only_disk_can_be_read() {
    let folder = Folder::new();
    let disk = Disk::new(folder.path(), "2m");
    write(&folder.store(), &session("s"), &[1..=3]).await;
    // Any other SQLite program puts all into the one file when it closes it.
    folder.sqlite().execute_batch("SELECT count(*) FROM session").unwrap();
    assert!(!folder.path().join("store.db-wal").exists());
    if disk.freeze() {
        reads_and_refuses_to_write(&folder.store()).await;
        let again = Options::new().read_only().open(folder.db()).unwrap();
        reads_and_refuses_to_write(&again).await;
    }
}

#[tokio::test]
async fn s8_5_a_path_on_a_read_only_disk_may_hold_anything() {
    let folder = Folder::new();
    let disk = Disk::new(folder.path(), "4m");
    for name in ODD_NAMES {
        let path = folder.path().join(name);
        write(&Store::open(&path).unwrap(), &session("s"), &[1..=3]).await;
        let sqlite = rusqlite::Connection::open(&path).unwrap();
        sqlite.execute_batch("SELECT count(*) FROM session").unwrap();
    }
    if disk.freeze() {
        for name in ODD_NAMES {
            reads_and_refuses_to_write(&Store::open(folder.path().join(name)).unwrap()).await;
        }
    }
}

#[tokio::test]
async fn s8_5_a_file_that_another_process_keeps_to_itself_is_not_read_past_it() {
    let folder = Folder::new();
    write(&folder.store(), &session("s"), &[1..=3]).await;
    let other = folder.sqlite();
    // It puts the log into the file.
    other
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA locking_mode = EXCLUSIVE")
        .unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    for options in [Options::new(), Options::new().read_only()] {
        let error = options.patience(Duration::from_millis(5)).open(folder.db()).unwrap_err();
        assert!(error.to_string().contains("kept it locked"), "{error}");
    }
    drop(other);
    assert_eq!(numbers(&folder.store(), &session("s")).await, [1, 2, 3]);
}

#[tokio::test]
async fn a_read_only_disk_with_the_log_of_a_killed_process_is_read_or_refused() {
    let folder = Folder::new();
    let disk = Disk::new(folder.path(), "2m");
    let mut child = Child::start("hold", &folder.db());
    child.next_line().unwrap();
    child.kill();
    fs::remove_file(folder.path().join("store.db-shm")).unwrap();
    if disk.freeze() {
        // What is in the log must not be left out in silence.
        match Store::open(folder.db()) {
            Ok(store) => reads_and_refuses_to_write(&store).await,
            Err(error) => assert!(matches!(error, Error::Unusable { .. }), "{error}"),
        }
    }
}

#[tokio::test]
async fn s8_5_reading_alone_changes_no_byte() {
    let folder = Folder::new();
    write(&folder.store(), &session("s"), &[1..=3]).await;
    let log = || fs::read(folder.path().join("store.db-wal")).unwrap();
    let before = (fs::read(folder.db()).unwrap(), log());
    assert!(!before.1.is_empty(), "what was written last is in the log");
    let store = Options::new().read_only().open(folder.db()).unwrap();
    reads_and_refuses_to_write(&store).await;
    drop(store);
    assert_eq!((fs::read(folder.db()).unwrap(), log()), before);
}

#[tokio::test]
async fn reading_alone_makes_no_store() {
    let folder = Folder::new();
    let error = Options::new().read_only().open(folder.db()).unwrap_err();
    assert!(matches!(error, Error::Unusable { .. }), "{error}");
    assert!(error.to_string().contains("no such file"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    fs::write(folder.db(), "").unwrap();
    // Whoever was making it died: there is nothing in it.
    let store = Options::new().read_only().open(folder.db()).unwrap();
    assert_eq!(store.sessions(&Query::first(1)).await.unwrap().sessions, []);
    assert!(store.claim(&session("s")).await.is_err());
    assert_eq!(fs::read(folder.db()).unwrap(), b"");
}

#[tokio::test]
async fn a_reader_sees_what_a_writer_adds() {
    let folder = Folder::new();
    let writer = folder.store();
    write(&writer, &session("s"), &[1..=3]).await;
    let reader = Options::new().read_only().open(folder.db()).unwrap();
    assert_eq!(numbers(&reader, &session("s")).await, [1, 2, 3]);
    let claim = writer.claim(&session("s")).await.unwrap();
    crate::sample::append(&*claim, 4..=4).await;
    assert_eq!(numbers(&reader, &session("s")).await, [1, 2, 3, 4]);
}

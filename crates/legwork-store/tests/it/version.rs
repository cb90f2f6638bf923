//! Files of other versions and of other programs.

use std::fs;

use legwork_core::Timestamp;
use legwork_core::inbox::Cursor;
use legwork_port::Store as _;
use legwork_port::store::{DueQuery, Error};
use legwork_store::sqlite::{self, Options, Store};

use crate::sample::{Folder, numbers, session, write};

#[tokio::test]
async fn s8_5_a_store_of_a_newer_version_is_left_alone() {
    let folder = Folder::new();
    write(&folder.store(), &session("s"), &[1..=2]).await;
    folder.sqlite().pragma_update(None, "user_version", sqlite::VERSION + 1).unwrap();
    let before = fs::read(folder.db()).unwrap();
    let error = Store::open(folder.db()).unwrap_err();
    assert!(matches!(error, Error::Newer { found: 3, known: 2, .. }), "{error}");
    assert!(error.to_string().contains("use a newer Legwork"), "{error}");
    assert_eq!(fs::read(folder.db()).unwrap(), before);
    folder.sqlite().pragma_update(None, "user_version", sqlite::VERSION).unwrap();
    assert_eq!(numbers(&folder.store(), &session("s")).await, [1, 2]);
}

/// A store as version 1 made it.
const VERSION_1: &str = include_str!("version/1.sql");

#[tokio::test]
async fn s8_5_a_store_of_version_1_is_brought_up_to_date() {
    let folder = Folder::new();
    let sqlite = folder.sqlite();
    sqlite.pragma_update(None, "journal_mode", "WAL").unwrap();
    sqlite.execute_batch(VERSION_1).unwrap();
    drop(sqlite);
    let error = Options::new().read_only().open(folder.db()).unwrap_err().to_string();
    assert!(error.contains("older Legwork"), "{error}");

    let store = folder.store();
    assert_eq!(numbers(&store, &session("s")).await, [1, 2]);
    let due = store.due(&DueQuery::at(Timestamp(u64::MAX))).await.unwrap();
    assert_eq!(due.sessions.len(), 1);
    let (found, posted) = (&due.sessions[0], Cursor(1));
    assert_eq!((&found.session, found.inbox, found.summary.taken), (&session("s"), posted, posted));
    write(&store, &session("new"), &[1..=1]).await;
    drop(store);
    assert_eq!(numbers(&folder.store(), &session("new")).await, [1]);
}

#[test]
fn a_database_of_something_else_is_left_alone() {
    let folder = Folder::new();
    folder.sqlite().execute("CREATE TABLE diary (page TEXT)", ()).unwrap();
    is_left_alone(&folder);
    // A store that lost its version is none.
    let folder = Folder::new();
    drop(folder.store());
    folder.sqlite().pragma_update(None, "user_version", 0).unwrap();
    is_left_alone(&folder);
}

fn is_left_alone(folder: &Folder) {
    let before = fs::read(folder.db()).unwrap();
    let error = Store::open(folder.db()).unwrap_err();
    assert!(matches!(error, Error::Unusable { .. }), "{error}");
    assert!(error.to_string().contains("something else"), "{error}");
    assert_eq!(fs::read(folder.db()).unwrap(), before);
}

#[test]
fn a_file_that_is_not_a_database_is_left_alone() {
    let folder = Folder::new();
    fs::write(folder.db(), "Dear diary, ".repeat(1000)).unwrap();
    let error = Store::open(folder.db()).unwrap_err();
    assert!(matches!(error, Error::Unusable { .. }), "{error}");
    assert!(error.to_string().contains("not a SQLite database"), "{error}");
    assert!(fs::read(folder.db()).unwrap().starts_with(b"Dear diary"));
}

#[tokio::test]
async fn an_empty_file_becomes_a_store() {
    let folder = Folder::new();
    fs::write(folder.db(), "").unwrap();
    write(&folder.store(), &session("s"), &[1..=2]).await;
    assert_eq!(numbers(&folder.store(), &session("s")).await, [1, 2]);
}

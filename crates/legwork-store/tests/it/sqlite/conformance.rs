//! The suite that every store passes.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use legwork_core::SessionId;
use legwork_store::sqlite::{Commits, Options, Store};
use legwork_testkit::conformance::store::{
    check, check_fencing, check_listing, check_shared, check_unreadable,
};

use rusqlite::{Connection, params};

use super::folder::Folder;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_keeps_the_promises_of_the_port() {
    let folder = Folder::new();
    let next = AtomicU32::new(0);
    let make = async || {
        let name = format!("{}.db", next.fetch_add(1, Ordering::SeqCst));
        Store::open(folder.path().join(name)).unwrap()
    };
    check(make).await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_keeps_them_when_it_commits_inline() {
    let folder = Folder::new();
    let next = AtomicU32::new(0);
    let open = |name: String| {
        Options::new().commits(Commits::Inline).open(folder.path().join(name)).unwrap()
    };
    let make = async || open(format!("{}.db", next.fetch_add(1, Ordering::SeqCst)));
    check(make).await.unwrap_or_else(|violations| panic!("{violations}"));
    let shared = check_shared(async || open("shared.db".to_owned())).await;
    shared.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_keeps_them_across_handles() {
    let folder = Folder::new();
    check_shared(async || folder.store()).await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn sqlite_refuses_the_holder_of_a_lost_claim() {
    let folder = Folder::new();
    // The lock is on a file: without the file there is none.
    let lose = async |_| fs::remove_dir_all(folder.path().join("store.db-claims")).unwrap();
    let result = check_fencing(async || folder.store(), lose).await;
    result.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn s8_7_sqlite_lists_without_reading_a_journal() {
    let folder = Folder::new();
    let overwrite = async |session: SessionId| {
        let sql = "UPDATE journal SET entries = zeroblob(length(entries))
                   WHERE id >> 32 = (SELECT id FROM session WHERE name = ?1)";
        assert!(folder.sqlite().execute(sql, [session.as_str()]).unwrap() > 0);
    };
    let result = check_listing(async || folder.store(), overwrite).await;
    result.unwrap_or_else(|violations| panic!("{violations}"));
}

/// Writes lines into the journal of a new session, each a row of its own.
fn plant(sqlite: &Connection, session: &SessionId, lines: &[Vec<u8>]) {
    let transaction = sqlite.unchecked_transaction().unwrap();
    let sql = "INSERT INTO session (name, created) VALUES (?1, 1) RETURNING id";
    let number: i64 = sqlite.query_row(sql, [session.as_str()], |row| row.get(0)).unwrap();
    for (seq, line) in (1..).zip(lines) {
        let sql = "INSERT INTO journal (id, at, entries) VALUES (?1, 1, ?2)";
        sqlite.execute(sql, params![number << 32 | seq, line]).unwrap();
    }
    transaction.commit().unwrap();
}

/// All that the journal of a session has in its rows.
fn bytes(sqlite: &Connection, session: &SessionId) -> Vec<u8> {
    let sql = "SELECT entries FROM journal
               WHERE id >> 32 = (SELECT id FROM session WHERE name = ?1) ORDER BY id";
    let mut rows = sqlite.prepare(sql).unwrap();
    let rows = rows.query_map([session.as_str()], |row| row.get::<_, Vec<u8>>(0)).unwrap();
    rows.map(Result::unwrap).collect::<Vec<_>>().concat()
}

#[tokio::test]
async fn s8_4_sqlite_keeps_what_it_cannot_read() {
    let folder = Folder::new();
    let store = Options::new().commits(Commits::Inline).open(folder.db()).unwrap();
    let sqlite = folder.sqlite();
    sqlite.pragma_update(None, "synchronous", "OFF").unwrap();
    let make = async || {
        let sql = "DELETE FROM journal; DELETE FROM inbox; DELETE FROM session";
        sqlite.execute_batch(sql).unwrap();
        store.clone()
    };
    let plant = async |_: &Store, session: &SessionId, lines: &[Vec<u8>]| {
        plant(&sqlite, session, lines);
    };
    let bytes = async |_: &Store, session: &SessionId| bytes(&sqlite, session);
    let result = check_unreadable(make, plant, bytes).await;
    result.unwrap_or_else(|violations| panic!("{violations}"));
}

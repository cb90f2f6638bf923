//! Files of a store: damaged, and changed on purpose by who knows SQLite.

use std::cell::RefCell;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use legwork_core::inbox::{Cursor, Item};
use legwork_core::journal::Journal;
use legwork_core::{Entry, SessionId};
use legwork_port::Store as _;
use legwork_port::store::{Batch, Error, Query, Range};
use legwork_store::sqlite::{Commits, Options, Store};
use rusqlite::Connection;
use tokio::runtime::{Builder, Runtime};

use super::ground::folder;
use super::{MIB, Target};

/// A journal with every event that there is.
const GOLDEN: &str = include_str!("../../../../crates/legwork-core/tests/golden/v1.jsonl");

/// What an input begins with that is SQL for a store that is whole, and one that is its log.
const SQL: &[u8] = b"sql\n";
const LOG: &[u8] = b"log\n";

pub(super) const TARGET: Target = Target {
    name: "store",
    seeds,
    grammar: None,
    words: &[
        "UPDATE journal SET entries = ",
        "UPDATE journal SET id = id + 1;",
        "UPDATE session SET name = char(10) || name;",
        "UPDATE session SET created = -1, fence = 9223372036854775807;",
        "UPDATE inbox SET item = x'7b', cursor = -cursor;",
        "DELETE FROM session;",
        "DROP TABLE inbox;",
        "DROP TABLE session; CREATE VIEW session AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL \
         SELECT id + 1 FROM n) SELECT id, 'x' AS name, 1 AS fence, 1 AS created FROM n;",
        "CREATE TRIGGER t AFTER INSERT ON journal BEGIN DELETE FROM journal; END;",
        "CREATE INDEX i ON journal (at);",
        "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = 'CREATE TABLE ",
        "PRAGMA user_version = 9;",
        "PRAGMA application_id = 1;",
        "PRAGMA page_size = 65536; VACUUM;",
        "PRAGMA journal_mode = DELETE;",
        "PRAGMA encoding = 'UTF-16';",
        "randomblob(1000)",
        "zeroblob(1000000)",
        "CAST(x'ff' AS TEXT)",
        "9223372036854775807",
        ";",
        "\u{0}\u{0}\u{0}\u{1}",
    ],
    longest: 128 << 10,
    memory: 16 * MIB,
    one_of: 10,
    run,
};

thread_local! {
    static RUNTIME: RefCell<Option<Runtime>> = const { RefCell::new(None) };
    static WHOLE: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// What a future comes to.
pub(super) fn wait<T>(future: impl Future<Output = T>) -> T {
    RUNTIME.with_borrow_mut(|runtime| {
        let runtime = runtime.get_or_insert_with(|| {
            let made = Builder::new_current_thread().build();
            made.unwrap_or_else(|error| panic!("no runtime: {error}"))
        });
        runtime.block_on(future)
    })
}

fn seeds() -> Vec<Vec<u8>> {
    let base = folder();
    let path = base.path().join("s.db");
    let (whole, log) = made(&path).unwrap_or_else(|error| panic!("no store: {error}"));
    let sql = [
        "UPDATE journal SET entries = x'7b7d' WHERE id % 2 = 0;",
        "INSERT INTO journal SELECT id + 1000, at, entries FROM journal;",
        "INSERT INTO session (name, fence, created) VALUES ('-x' || char(27), 1, 2);",
        "DELETE FROM journal WHERE rowid % 3 = 0; UPDATE session SET name = name || '/..';",
        "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'BLOB', 'TEXT');",
        "CREATE TABLE more (a); CREATE VIEW v AS SELECT * FROM session;",
        "UPDATE inbox SET key = NULL, item = zeroblob(100000);",
    ];
    let sql = sql.map(|sql| [SQL, sql.as_bytes()].concat());
    [whole, [LOG, &log].concat()].into_iter().chain(sql).collect()
}

/// A store with three sessions, as its file and as the log of it.
fn made(path: &Path) -> Result<(Vec<u8>, Vec<u8>), Box<dyn std::error::Error>> {
    let store = Options::new().commits(Commits::Inline).open(path)?;
    let entries = GOLDEN.lines().map(|line| Entry::decode(line.as_bytes()).map(Arc::new));
    let entries = entries.collect::<Result<Vec<_>, _>>()?;
    for (name, count) in [("one", 5), ("two/é", 20), ("three", entries.len())] {
        let session = SessionId::new(name);
        wait(async {
            let claim = store.claim(&session).await?;
            for entries in entries.get(..count).unwrap_or_default().chunks(4) {
                let before = entries.first().map_or(0, |entry| entry.seq.0 - 1);
                claim.append(legwork_core::Seq(before), Batch::of(entries)).await?;
            }
            store.post(&session, "k", &Item::Stop("enough".into())).await?;
            Ok::<_, Error>(())
        })?;
    }
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    let log = std::fs::read(&name)?;
    drop(store);
    let connection = Connection::open(path)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))?;
    drop(connection);
    let whole = std::fs::read(path)?;
    WHOLE.set(Some(whole.clone()));
    Ok((whole, log))
}

fn run(input: &[u8], _: &mut Rng) -> bool {
    let base = folder();
    let path = base.path().join("s.db");
    let whole = WHOLE.with_borrow(|whole| whole.clone().unwrap_or_default());
    let sql = input.strip_prefix(SQL);
    let log = input.strip_prefix(LOG);
    let content = if sql.is_some() || log.is_some() { &*whole } else { input };
    let written = std::fs::write(&path, content).and_then(|()| match log {
        Some(log) => std::fs::write(base.path().join("s.db-wal"), log),
        None => Ok(()),
    });
    assert!(written.is_ok(), "no file: {written:?}");
    if let Some(sql) = sql {
        change(&path, &String::from_utf8_lossy(sql));
    }
    let options = Options::new().patience(Duration::from_millis(1));
    if let Ok(store) = options.clone().read_only().open(&path) {
        let _ = wait(look(&store));
    }
    if let Ok(store) = options.commits(Commits::Inline).open(&path) {
        let read = wait(look(&store));
        let _ = wait(write(&store));
        read.is_ok()
    } else {
        assert!(*content != *whole || sql.is_some() || log.is_some(), "a whole store is refused");
        false
    }
}

/// Changes the file by SQL.
fn change(path: &Path, sql: &str) {
    let Ok(mut connection) = Connection::open(path) else { return };
    let mut steps = 0_u32;
    // What makes the file shall not take longer than what reads it.
    let enough = move || {
        steps += 1;
        steps > 200
    };
    let _ = connection.progress_handler(1_000, Some(enough));
    let _ = connection.execute_batch("PRAGMA max_page_count = 2000; PRAGMA synchronous = OFF;");
    for statement in sql.split_inclusive(';').take(50) {
        // Most mutated statements are none.
        let _ = connection.execute_batch(statement);
    }
}

/// Reads all that there is.
async fn look(store: &Store) -> Result<(), Error> {
    for info in store.sessions(&Query::first(50)).await?.sessions.into_iter().take(5) {
        let _ = store.is_claimed(&info.session).await;
        let loaded = store.read(&info.session, Range::ALL).await?;
        let _ = loaded.journal.fold(&info.session).owed();
        let _ = store.inbox(&info.session, Cursor(0)).await;
    }
    Ok(())
}

/// Goes on with a session, if it can be: what was appended is read again.
async fn write(store: &Store) -> Result<(), Error> {
    let session = SessionId::new("one");
    let claim = store.claim(&session).await?;
    let before = store.read(&session, Range::ALL).await?.writable(&session)?;
    let Some(last) = before.journal.entries().last() else { return Ok(()) };
    let next = Entry { seq: last.seq.next(), parent: last.seq, ..Entry::clone(last) };
    claim.append(last.seq, Batch::of(&[Arc::new(next.clone())])).await?;
    let Journal { .. } = before.journal;
    let after = store.read(&session, Range::ALL).await?.journal;
    let found = after.entries().last().map(|entry| Entry::clone(entry));
    assert!(found == Some(next), "appended, but not there: {found:?}");
    store.post(&session, "again", &Item::Stop("x".into())).await.map(|_| ())
}

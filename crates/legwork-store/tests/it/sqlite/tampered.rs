//! Stores that another program wrote, and files that are not stores: nothing in them runs (S13.9).

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use fastrand::Rng;
use legwork_core::Seq;
use legwork_core::inbox::Cursor;
use legwork_port::Store as _;
use legwork_port::store::{Batch, Error, Query, Range};
use legwork_store::sqlite::{Options, Store};
use rusqlite::Connection;

use super::folder::Folder;
use crate::sample::{entries, numbers, session, write};

type Make = fn(&Path);

/// Makes what is no regular file at a path; each returns at once.
const KINDS: [(&str, Make); 7] = [
    ("a pipe", |path| {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }),
    ("a socket", |path| drop(UnixListener::bind(path).unwrap())),
    ("a folder", |path| fs::create_dir(path).unwrap()),
    ("a link to a pipe", |path| {
        let pipe = path.with_file_name("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        symlink(pipe, path).unwrap();
    }),
    ("a link to nothing that ends", |path| symlink("/dev/zero", path).unwrap()),
    ("a link to a terminal", |path| symlink("/dev/tty", path).unwrap()),
    ("a link to a folder", |path| symlink("/", path).unwrap()),
];

fn is_refused(path: &Path, what: &str) -> String {
    let opened = Store::open(path).err().or_else(|| Options::new().read_only().open(path).err());
    let error = opened.unwrap_or_else(|| panic!("{what} was opened"));
    let is_told = |error: &Error| match error {
        Error::Unusable { .. } => true,
        Error::Failed { reason, .. } => reason.contains("the file is damaged"),
        _ => false,
    };
    assert!(is_told(&error), "{what}: {error}");
    let read = Options::new().read_only().open(path).err();
    assert!(read.as_ref().is_some_and(is_told), "{what}: {read:?}");
    error.to_string()
}

#[test]
fn s13_9_a_store_that_is_not_a_file_is_refused_at_once() {
    for (what, make) in KINDS {
        let folder = Folder::new();
        make(&folder.db());
        let said = is_refused(&folder.db(), what);
        assert!(said.contains("folder") || said.contains("not a regular file"), "{said}");
    }
    is_refused(Path::new("/dev/null"), "/dev/null");
}

#[tokio::test]
async fn s13_9_what_is_next_to_a_store_is_a_file_or_nothing() {
    for suffix in ["-wal", "-shm", "-journal"] {
        for (what, make) in KINDS {
            let folder = Folder::new();
            write(&folder.store(), &session("s"), &[1..=2]).await;
            let path = folder.path().join(format!("store.db{suffix}"));
            let _ = fs::remove_file(&path);
            make(&path);
            let said = is_refused(&folder.db(), what);
            assert!(said.contains(suffix) && said.contains("not a regular file"), "{said}");
        }
    }
}

#[tokio::test]
async fn s13_9_a_lock_that_leads_to_another_file_changes_none() {
    let name = session("s");
    for (what, make) in [
        ("a link", (|victim, lock| symlink(victim, lock)) as fn(&Path, &Path) -> _),
        ("a hard link", |victim, lock| fs::hard_link(victim, lock)),
        ("a pipe", |_, lock| Command::new("mkfifo").arg(lock).status().map(drop)),
        ("a folder", |_, lock| fs::create_dir(lock)),
    ] {
        let folder = Folder::new();
        let store = folder.store();
        let held = store.claim(&name).await.unwrap();
        let claims = folder.path().join("store.db-claims");
        let lock = fs::read_dir(&claims).unwrap().next().unwrap().unwrap().path();
        drop(held);
        let victim = folder.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        make(&victim, &lock).unwrap();
        let error = store.claim(&name).await.err().unwrap_or_else(|| panic!("{what}"));
        assert!(matches!(error, Error::Failed { .. }), "{what}: {error}");
        assert!(store.is_claimed(&name).await.is_err(), "{what}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious", "{what}");
    }
}

/// Changes to the tables of a store by SQL; each would run when the store is used.
const CHANGES: [&str; 12] = [
    "DROP TABLE journal; CREATE VIEW journal AS WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL \
     SELECT id + 1 FROM n) SELECT id, 0 AS at, x'' AS entries FROM n",
    "DROP TABLE session; CREATE VIEW session AS SELECT 1 AS id, 's' AS name, 0 AS fence, \
     (SELECT count(*) FROM journal a, journal b, journal c, inbox d) AS created",
    "CREATE TRIGGER t AFTER INSERT ON journal BEGIN DELETE FROM journal; END",
    "CREATE TRIGGER t BEFORE INSERT ON session BEGIN SELECT count(*) FROM (WITH RECURSIVE n (i) AS \
     (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n); END",
    "ALTER TABLE journal ADD COLUMN g BLOB GENERATED ALWAYS AS (zeroblob(900000000)) VIRTUAL",
    "ALTER TABLE session ADD COLUMN x TEXT",
    "CREATE INDEX i ON journal (length(entries) || printf('%.90000c', 'x'))",
    "CREATE TABLE lost_and_found (x)",
    "CREATE VIEW v AS SELECT * FROM session",
    "DROP TABLE cut",
    "CREATE VIRTUAL TABLE v USING fts5(x)",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM \
     sqlite_schema WHERE name = 'session') WHERE name = 'journal'",
];

#[tokio::test]
async fn s13_9_a_store_whose_tables_were_changed_is_refused_before_they_are_read() {
    let mut rng = Rng::with_seed(1);
    for round in 0..CHANGES.len() + 24 {
        let folder = Folder::new();
        write(&folder.store(), &session("s"), &[1..=2]).await;
        let several: Vec<_> = match CHANGES.get(round) {
            Some(one) => vec![*one],
            None => rng.choose_multiple(CHANGES, 3),
        };
        let sqlite = folder.sqlite();
        // Not all go together.
        let done = several.iter().filter(|sql| sqlite.execute_batch(sql).is_ok()).count();
        drop(sqlite);
        if done == 0 {
            println!("skipped: {several:?} cannot be done by this SQLite");
            continue;
        }
        let said = is_refused(&folder.db(), &several.join("; "));
        let known = ["another program changed the file", "the file is damaged"];
        assert!(known.iter().any(|known| said.contains(known)), "{several:?}: {said}");
    }
}

#[tokio::test]
async fn s13_9_a_schema_without_end_is_given_up() {
    let folder = Folder::new();
    write(&folder.store(), &session("s"), &[1..=2]).await;
    let sqlite = folder.sqlite();
    let many = "PRAGMA writable_schema = ON; WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL \
        SELECT i + 1 FROM n LIMIT 200000) INSERT INTO sqlite_schema (type, name, tbl_name, sql, \
        rootpage) SELECT 'view', 'v' || i, 'v' || i, 'CREATE VIEW v' || i || ' AS SELECT 1', 0 \
        FROM n";
    sqlite.execute_batch(many).unwrap();
    drop(sqlite);
    let said = is_refused(&folder.db(), "200,000 views");
    assert!(said.contains("it holds more than a store does"), "{said}");

    let folder = Folder::new();
    write(&folder.store(), &session("s"), &[1..=2]).await;
    let long = " ".repeat(20_000_000);
    folder.sqlite().execute_batch(&format!("CREATE TABLE t (x{long} TEXT)")).unwrap();
    let said = is_refused(&folder.db(), "a statement of 20 MB");
    assert!(said.contains("it holds more than a store does"), "{said}");
}

#[tokio::test]
async fn s13_9_a_comment_in_the_schema_makes_no_other_store() {
    let folder = Folder::new();
    let (made, name) = (folder.store(), session("s"));
    write(&made, &name, &[1..=2]).await;
    drop(made);
    let sqlite = folder.sqlite();
    sqlite.pragma_update(None, "writable_schema", true).unwrap();
    let sql = "UPDATE sqlite_schema SET sql = replace(sql, 'the newest claim', 'the  newest -- ')";
    assert!(sqlite.execute(sql, ()).unwrap() > 0);
    drop(sqlite);
    assert_eq!(numbers(&folder.store(), &name).await, [1, 2]);
}

#[tokio::test]
async fn s13_9_an_id_that_is_not_seen_can_be_listed_and_removed_and_not_taken() {
    let folder = Folder::new();
    let store = folder.store();
    write(&store, &session("s"), &[1..=2]).await;
    let odd = session("a\u{202e}\u{1b}[2J\n");
    folder.sqlite().execute("UPDATE session SET name = ?1", [odd.as_str()]).unwrap();
    assert!(matches!(store.claim(&odd).await.map(drop), Err(Error::Id { .. })));
    assert_eq!(store.sessions(&Query::first(9)).await.unwrap().sessions[0].session, odd);
    assert_eq!(store.read(&odd, Range::ALL).await.unwrap().journal.entries().len(), 2);
    let error = store.claim(&odd).await.map(drop).unwrap_err().to_string();
    assert!(error.contains("a\\u{202e}\\u{1b}[2J\\n") && !error.contains('\u{202e}'), "{error}");
    store.remove(&[odd]).await.unwrap();
    assert_eq!(store.sessions(&Query::first(9)).await.unwrap().sessions, []);
}

/// Opens, lists, reads, posts and appends: each of them ends.
async fn use_all(folder: &Folder) -> Result<(), Error> {
    let store = Store::open(folder.db())?;
    let name = session("s");
    let _ = store.sessions(&Query::first(9)).await;
    let _ = store.inbox(&name, Cursor(0)).await;
    let loaded = store.read(&name, Range::ALL).await?;
    let claim = store.claim(&name).await?;
    let last = loaded.journal.entries().last().map_or(Seq(0), |entry| entry.seq);
    claim.append(last, Batch::of(&entries(last.0 + 1..=last.0 + 1))).await?;
    drop(claim);
    store.remove(&[name]).await.map(drop)
}

#[tokio::test]
async fn s13_9_random_bytes_in_a_store_end_in_an_answer() {
    let source = Folder::new();
    write(&source.store(), &session("s"), &[1..=3, 4..=40, 41..=41]).await;
    source.sqlite().query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).unwrap();
    let whole = fs::read(source.db()).unwrap();
    let mut rng = Rng::with_seed(7);
    let mut refused = 0;
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..rng.usize(1..12) {
            let at = rng.usize(..bytes.len());
            // Half of them in the schema and the first pages, where they do most.
            let at = if rng.bool() { at } else { at % 4_096 };
            bytes[at] = rng.u8(..);
        }
        if rng.u8(..8) == 0 {
            bytes.truncate(rng.usize(..bytes.len()));
        }
        let folder = Folder::new();
        fs::write(folder.db(), &bytes).unwrap();
        refused += usize::from(use_all(&folder).await.is_err());
    }
    assert!(refused > 30, "{refused}");
}

#[test]
fn s13_9_a_file_that_is_not_a_store_is_described() {
    let folder = Folder::new();
    drop(folder.store());
    Connection::open(folder.db()).unwrap().execute("CREATE TABLE diary (x)", ()).unwrap();
    let said = is_refused(&folder.db(), "a table more");
    assert!(said.contains("its table \"diary\" is not one that Legwork makes"), "{said}");
}

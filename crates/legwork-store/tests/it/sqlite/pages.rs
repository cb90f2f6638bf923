//! Damage below the lines of a journal: in the pages of the file, and in its log.

use std::fs::{self, OpenOptions};

use legwork_core::Seq;
use legwork_port::Store as _;
use legwork_port::store::{Batch, Error, Query, Range};
use legwork_store::sqlite::{Options, Store};

use super::folder::Folder;
use crate::sample::{append, entries, numbers, said, session};

/// The bytes of a page.
const PAGE: usize = 1024;

/// The bytes of a page in the log, with its header.
const FRAME: u64 = 24 + PAGE as u64;

/// How long a text is that fills several pages, and begins in that of its row.
const LONG: usize = 3_600;

/// Writes three rows of an entry each into "hurt" and into "fine", and all into the file.
async fn three_rows(folder: &Folder, length: usize) {
    let store = folder.store();
    for name in ["hurt", "fine"] {
        let claim = store.claim(&session(name)).await.unwrap();
        for seq in 1..=3 {
            claim.append(Seq(seq - 1), Batch::of(&[said(seq, &text(name, length))])).await.unwrap();
        }
    }
    drop(store);
    checkpoint(folder);
}

fn text(name: &str, length: usize) -> String {
    format!("{name} {}", "x".repeat(length))
}

/// Puts all that is in the log into the file.
fn checkpoint(folder: &Folder) {
    let sqlite = folder.sqlite();
    sqlite.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).unwrap();
}

/// Changes the bytes of the file from where the row of an entry of "hurt" begins.
fn change(folder: &Folder, seq: u64, change: impl FnOnce(&mut [u8], usize)) {
    let line = said(seq, "hurt x").encode().unwrap();
    let line = line.split(|byte| *byte == b'x').next().unwrap();
    let mut bytes = fs::read(folder.db()).unwrap();
    let at = bytes.windows(line.len()).position(|window| window == line).unwrap();
    // A header of five bytes, which says what the columns hold, and six of a time.
    assert_eq!(bytes[at - 11..at - 8], [5, 0, 5]);
    change(&mut bytes, at - 11);
    fs::write(folder.db(), bytes).unwrap();
}

/// The rows of a table: their keys and what is left of their entries.
fn rows(folder: &Folder, table: &str) -> Vec<(i64, Vec<u8>)> {
    let sqlite = folder.sqlite();
    let sql = format!("SELECT id, ifnull(CAST(entries AS BLOB), x'') FROM {table}");
    let mut rows = sqlite.prepare(&sql).unwrap();
    let rows = rows.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

/// "hurt" is read up to an entry, and hides nothing of "fine", which goes on.
async fn is_read_up_to(store: &Store, last: u64) {
    let loaded = store.read(&session("hurt"), Range::ALL).await.unwrap();
    assert_eq!(loaded.journal.version(), Seq(last));
    let report = loaded.damage.unwrap();
    let said = format!("session hurt is damaged after entry {last}");
    assert!(report.contains(&said), "{report}");
    assert_eq!(store.sessions(&Query::first(9)).await.unwrap().sessions.len(), 2);
    let last = numbers(store, &session("fine")).await.len() as u64;
    append(&*store.claim(&session("fine")).await.unwrap(), last + 1..=last + 1).await;
}

#[tokio::test]
async fn s8_4_a_row_that_lost_its_columns_is_set_aside() {
    for last in [1, 2] {
        let folder = Folder::new();
        three_rows(&folder, 700).await;
        change(&folder, last + 1, |bytes, at| bytes[at..at + 5].fill(0));
        let store = folder.store();
        is_read_up_to(&store, last).await;
        let before = rows(&folder, "journal");
        let claim = store.claim(&session("hurt")).await.unwrap();
        append(&*claim, last + 1..=last + 2).await;
        let all: Vec<_> = (1..=last + 2).collect();
        assert_eq!(numbers(&store, &session("hurt")).await, all);
        let tail: Vec<_> = before.into_iter().filter(|row| row.0 >> 32 == 1).collect();
        assert_eq!(rows(&folder, "cut"), tail[usize::try_from(last).unwrap()..]);
    }
}

#[tokio::test]
async fn s8_4_a_row_behind_the_damage_is_set_aside_whatever_its_type() {
    let folder = Folder::new();
    three_rows(&folder, 700).await;
    change(&folder, 2, |bytes, at| bytes[at + 11] = b'?');
    // A single bit makes a text of it.
    change(&folder, 3, |bytes, at| bytes[at + 4] ^= 1);
    let store = folder.store();
    is_read_up_to(&store, 1).await;
    append(&*store.claim(&session("hurt")).await.unwrap(), 2..=2).await;
    assert_eq!(numbers(&store, &session("hurt")).await, [1, 2]);
    let line = said(3, &text("hurt", 700)).encode().unwrap();
    assert_eq!(rows(&folder, "cut")[1], ((1 << 32) + 3, line));
}

/// What SQLite cannot read on from is reported, and an append after it refused.
async fn is_refused(length: usize, seq: u64, damage: impl FnOnce(&mut [u8], usize)) {
    let folder = Folder::new();
    three_rows(&folder, length).await;
    change(&folder, seq, damage);
    let store = folder.store();
    is_read_up_to(&store, seq - 1).await;
    let claim = store.claim(&session("hurt")).await.unwrap();
    let error = claim.append(Seq(seq - 1), Batch::of(&entries(seq..=seq))).await.unwrap_err();
    assert!(matches!(error, Error::Failed { .. }), "{error}");
    assert!(error.to_string().contains("file is damaged"), "{error}");
    is_read_up_to(&store, seq - 1).await;
    assert!(rows(&folder, "cut").is_empty());
}

#[tokio::test]
async fn s8_4_a_row_with_a_wrong_header_is_reported_and_refused() {
    is_refused(700, 2, |bytes, at| bytes[at] = 0xff).await;
}

#[tokio::test]
async fn s8_4_a_destroyed_page_of_rows_is_reported_and_refused() {
    for seq in [2, 3] {
        is_refused(700, seq, |bytes, at| bytes[at / PAGE * PAGE..][..PAGE].fill(0)).await;
    }
}

#[tokio::test]
async fn s8_4_a_destroyed_page_within_a_row_is_reported_and_refused() {
    is_refused(LONG, 2, |bytes, at| {
        // Behind the part of a long row that is in its own page: the number of the next page.
        let end = at + 11 + bytes[at + 11..].iter().position(|byte| *byte == 0).unwrap();
        let next = u32::from_be_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
        bytes[(next - 1) * PAGE..][..PAGE].fill(0);
    })
    .await;
}

/// Takes the last page away from the log.
fn cut_log(folder: &Folder) {
    let log = OpenOptions::new().write(true).open(folder.path().join("store.db-wal")).unwrap();
    log.set_len(log.metadata().unwrap().len() - FRAME).unwrap();
}

#[tokio::test]
async fn s8_4_a_read_that_fails_is_an_error_and_no_damage() {
    let folder = Folder::new();
    three_rows(&folder, 10).await;
    let store = folder.store();
    let claim = store.claim(&session("fine")).await.unwrap();
    let log = folder.path().join("store.db-wal");
    // This one changes no page but that of the rows.
    append(&*claim, 4..=4).await;
    let whole = fs::read(&log).unwrap();
    cut_log(&folder);
    for error in [
        store.read(&session("fine"), Range::ALL).await.map(|_| ()).unwrap_err(),
        store.sessions(&Query::first(9)).await.map(|_| ()).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Failed { .. }), "{error}");
        assert!(error.to_string().contains("disk I/O error"), "{error}");
    }
    fs::write(&log, whole).unwrap();
    assert_eq!(numbers(&store, &session("fine")).await, [1, 2, 3, 4]);
}

#[tokio::test]
async fn s8_4_what_finds_no_room_to_be_set_aside_stays_where_it_is() {
    let folder = Folder::new();
    three_rows(&folder, LONG).await;
    change(&folder, 2, |bytes, at| bytes[at + 11] = b'?');
    let size = fs::metadata(folder.db()).unwrap().len();
    let store = Options::new().max_bytes(size).open(folder.db()).unwrap();
    let before = rows(&folder, "journal");
    let claim = store.claim(&session("hurt")).await.unwrap();
    let error = claim.append(Seq(1), Batch::of(&entries(2..=2))).await.unwrap_err();
    assert!(error.to_string().contains("make room and go on"), "{error}");
    assert_eq!((rows(&folder, "journal"), rows(&folder, "cut")), (before, Vec::new()));
}

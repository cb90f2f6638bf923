//! Journals that were damaged.

use std::fs;

use legwork_core::Seq;
use legwork_port::Store as _;
use legwork_port::store::{Batch, Error, Query, Range};
use legwork_store::sqlite::Store;

use super::folder::Folder;
use crate::sample::{append, entries, numbers, said, session, write};

/// Writes entries 1 to 9 in three appends, damages them by SQL, and looks at what is left.
async fn check(damage: &str, left: u64, said: &str) {
    let folder = Folder::new();
    let (name, other) = (session("hurt"), session("fine"));
    let store = folder.store();
    write(&store, &name, &[1..=3, 4..=6, 7..=9]).await;
    write(&store, &other, &[1..=3]).await;
    let changed = folder.sqlite().execute(damage, ()).unwrap();
    assert!(changed > 0, "{damage} changed nothing");
    let before = rows(&folder, "journal");

    for _ in 0..2 {
        let loaded = store.read(&name, Range::ALL).await.unwrap();
        assert_eq!(loaded.journal.entries(), entries(1..=left), "{damage}");
        let report = loaded.damage.unwrap();
        assert!(report.contains("session hurt") && report.contains(said), "{report}");
    }
    fine(&store, 2).await;

    let claim = store.claim(&name).await.unwrap();
    for wrong in [left + 20, left.saturating_sub(1)] {
        if wrong != left {
            let refused =
                claim.append(Seq(wrong), Batch::of(&entries(wrong + 1..=wrong + 1))).await;
            assert!(refused.is_err_and(|error| error.is_conflict()), "{wrong}: {damage}");
        }
    }
    assert_eq!((rows(&folder, "journal"), rows(&folder, "cut")), (before.clone(), Vec::new()));
    append(&*claim, left + 1..=left + 2).await;
    append(&*claim, left + 3..=left + 3).await;
    let loaded = store.read(&name, Range::ALL).await.unwrap();
    assert_eq!(loaded.damage, None, "{damage}");
    assert_eq!(loaded.journal.entries(), entries(1..=left + 3), "{damage}");
    fine(&store, 2).await;
    // Each row is where it was, or set aside as it was.
    let after = [rows(&folder, "journal"), rows(&folder, "cut")].concat();
    assert!(before.iter().all(|row| after.contains(row)), "{damage}");
}

/// All rows of a table, in the order of their keys.
fn rows(folder: &Folder, table: &str) -> Vec<(i64, i64, Vec<u8>)> {
    let sqlite = folder.sqlite();
    let mut rows = sqlite.prepare(&format!("SELECT id, at, entries FROM {table}")).unwrap();
    let rows = rows.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

async fn fine(store: &Store, sessions: usize) {
    assert_eq!(numbers(store, &session("fine")).await, [1, 2, 3]);
    assert_eq!(store.sessions(&Query::first(10)).await.unwrap().sessions.len(), sessions);
}

const LAST_ROW: &str = "WHERE id = (SELECT max(id) FROM journal WHERE id < 2 << 32)";

#[tokio::test]
async fn s8_4_a_line_that_was_cut_is_left_out() {
    let sql = "UPDATE journal SET entries = substr(entries, 1, length(entries) - 20)";
    check(&format!("{sql} {LAST_ROW}"), 8, "damaged after entry 8").await;
}

#[tokio::test]
async fn s8_4_bytes_after_the_last_entry_of_a_row_hide_nothing() {
    for junk in ["", "x", "{}"] {
        let folder = Folder::new();
        let (name, store) = (session("hurt"), folder.store());
        write(&store, &name, &[1..=3, 4..=6, 7..=9]).await;
        let sql = "UPDATE journal SET entries = CAST(entries || char(10) || ?1 AS BLOB)";
        assert_eq!(folder.sqlite().execute(sql, [junk]).unwrap(), 3);
        let claim = store.claim(&name).await.unwrap();
        append(&*claim, 10..=12).await;
        let loaded = store.read(&name, Range::ALL).await.unwrap();
        assert_eq!((loaded.damage, loaded.journal.entries()), (None, &entries(1..=12)[..]));
    }
}

#[tokio::test]
async fn s8_4_garbage_is_left_out() {
    let sql = "UPDATE journal SET entries = randomblob(500)";
    check(&format!("{sql} {LAST_ROW}"), 6, "damaged after entry 6").await;
    let sql = "UPDATE journal SET entries = x''";
    check(&format!("{sql} {LAST_ROW}"), 6, "damaged after entry 6").await;
}

#[tokio::test]
async fn s8_4_damage_in_the_middle_cuts_all_after_it() {
    let sql = "UPDATE journal SET entries = \
               CAST(replace(entries, '\"seq\":5', '\"seq\":55') AS BLOB)";
    let row = "WHERE id = (1 << 32) + 6";
    check(&format!("{sql} {row}"), 4, "found entry 55 in place of entry 5").await;
}

#[tokio::test]
async fn s8_4_a_first_entry_that_is_damaged_leaves_none() {
    let sql = "UPDATE journal SET entries = x'00ff' WHERE id = (1 << 32) + 3";
    check(sql, 0, "damaged after entry 0").await;
}

#[tokio::test]
async fn s8_4_a_gap_cuts_what_comes_after_it() {
    let sql = "DELETE FROM journal WHERE id = (1 << 32) + 6";
    check(sql, 3, "found entry 7 in place of entry 4").await;
}

#[tokio::test]
async fn s8_4_a_row_that_lost_its_last_line_is_noticed() {
    let sql = "UPDATE journal SET entries = \
               CAST(substr(entries, 1, instr(entries, x'0a') - 1) AS BLOB)";
    check(&format!("{sql} {LAST_ROW}"), 7, "up to 9 are not all there").await;
}

#[tokio::test]
async fn s8_6_what_was_cut_is_removed_with_its_session_alone() {
    let folder = Folder::new();
    let store = folder.store();
    for name in ["hurt", "too"] {
        write(&store, &session(name), &[1..=3, 4..=6]).await;
        let sql = "UPDATE journal SET entries = CAST('cut of ' || entries AS BLOB) \
                   WHERE id & 7 = 6 AND entries LIKE '{%'";
        assert_eq!(folder.sqlite().execute(sql, ()).unwrap(), 1);
        append(&*store.claim(&session(name)).await.unwrap(), 4..=4).await;
    }
    assert_eq!(rows(&folder, "cut").len(), 2);
    store.remove(&[session("hurt")]).await.unwrap();
    let left = rows(&folder, "cut");
    assert_eq!(left.iter().map(|row| row.0).collect::<Vec<_>>(), [(2 << 32) + 6]);
    store.remove(&[session("too")]).await.unwrap();
    assert_eq!(rows(&folder, "cut"), []);
}

/// A line that this version cannot read, as entry 5.
const UNREADABLE: &str = r#"{"v":1,"seq":5,"parent":4,"at":1,"type":"head_moved","body":{}}"#;

#[tokio::test]
async fn s8_4_readable_lines_before_an_unreadable_one_of_their_row_are_read() {
    let folder = Folder::new();
    let store = folder.store();
    write(&store, &session("hurt"), &[1..=3, 4..=6]).await;
    let sql = "UPDATE journal SET entries = CAST(replace(entries, ?1, ?2) AS BLOB)";
    let old = String::from_utf8(entries(5..=5)[0].encode().unwrap()).unwrap();
    assert_eq!(folder.sqlite().execute(sql, [old.as_str(), UNREADABLE]).unwrap(), 2);
    let before = rows(&folder, "journal");

    let loaded = store.read(&session("hurt"), Range::ALL).await.unwrap();
    assert_eq!((loaded.journal.entries(), loaded.damage), (&entries(1..=4)[..], None));
    let unreadable = loaded.unreadable.unwrap();
    assert_eq!(unreadable.entry, Seq(5));
    assert!(unreadable.to_string().contains("use a newer Legwork"), "{unreadable}");
    let claim = store.claim(&session("hurt")).await.unwrap();
    for expected in [3, 4, 5] {
        let error =
            claim.append(Seq(expected), Batch::of(&entries(expected + 1..=expected + 1))).await;
        let error = error.unwrap_err();
        assert!(matches!(error, Error::Unreadable { entry: Seq(5), .. }), "{error}");
        assert!(error.to_string().contains("session hurt was not changed"), "{error}");
    }
    assert_eq!((rows(&folder, "journal"), rows(&folder, "cut").len()), (before, 0));
}

#[tokio::test]
async fn s8_4_an_unreadable_line_that_is_not_the_next_one_is_behind_a_gap() {
    let folder = Folder::new();
    let store = folder.store();
    write(&store, &session("hurt"), &[1..=3]).await;
    let sql = "INSERT INTO journal (id, at, entries) VALUES ((1 << 32) + 5, 1, ?1)";
    folder.sqlite().execute(sql, [UNREADABLE.as_bytes()]).unwrap();
    let loaded = store.read(&session("hurt"), Range::ALL).await.unwrap();
    assert!(loaded.damage.unwrap().contains("found entry 5 in place of entry 4"));
    assert_eq!(loaded.unreadable, None);
    append(&*store.claim(&session("hurt")).await.unwrap(), 4..=6).await;
    assert_eq!(numbers(&store, &session("hurt")).await, [1, 2, 3, 4, 5, 6]);
    let set_aside = rows(&folder, "cut");
    assert_eq!(set_aside, [((1 << 32) + 5, 1, UNREADABLE.as_bytes().to_vec())]);
}

/// Overwrites the pages that hold a text with zeros, as a failing disk may.
fn destroy_pages(folder: &Folder, text: &str) {
    let mut bytes = fs::read(folder.db()).unwrap();
    let mut hit = 0;
    for page in bytes.chunks_mut(1024).skip(1) {
        if page.windows(text.len()).any(|window| window == text.as_bytes()) {
            page.fill(0);
            hit += 1;
        }
    }
    assert!(hit > 0, "{text} is in no page");
    fs::write(folder.db(), bytes).unwrap();
}

#[tokio::test]
async fn s8_4_destroyed_pages_of_one_session_never_hide_the_others() {
    let folder = Folder::new();
    let store = folder.store();
    let long = "padding that fills pages of its own ".repeat(200);
    for (name, mark) in [("before", "aaaa-mark"), ("hurt", "bbbb-mark"), ("fine", "cccc-mark")] {
        let claim = store.claim(&session(name)).await.unwrap();
        for seq in 1..=3 {
            // At the end, so that it is in no page that sessions share.
            let text = format!("{long} {mark}");
            claim.append(Seq(seq - 1), Batch::of(&[said(seq, &text)])).await.unwrap();
        }
    }
    drop(store);
    // Out of the log, into the file.
    folder.sqlite().execute_batch("PRAGMA wal_checkpoint").unwrap();
    destroy_pages(&folder, "bbbb-mark");

    let store = folder.store();
    for name in ["before", "fine"] {
        assert_eq!(numbers(&store, &session(name)).await, [1, 2, 3]);
    }
    assert_eq!(store.sessions(&Query::first(10)).await.unwrap().sessions.len(), 3);
    let loaded = store.read(&session("hurt"), Range::ALL).await.unwrap();
    assert!(loaded.journal.entries().len() < 3);
    assert!(loaded.damage.unwrap().contains("session hurt"));
    let claim = store.claim(&session("fine")).await.unwrap();
    append(&*claim, 4..=4).await;
}

/// A row is an append: a range may begin and end within one.
#[tokio::test]
async fn s8_8_a_range_is_read_up_to_damage_and_past_it_nothing() {
    let folder = Folder::new();
    let (store, name) = (folder.store(), session("parts"));
    write(&store, &name, &[1..=3, 4..=6, 7..=9]).await;
    folder.sqlite().execute("UPDATE journal SET entries = x'00' WHERE id & 255 = 9", ()).unwrap();
    let read = async |after, limit| {
        let range = Range::after(Seq(after)).limit(limit);
        let loaded = store.read(&name, range).await.unwrap();
        let numbers: Vec<_> = loaded.journal.entries().iter().map(|entry| entry.seq.0).collect();
        (numbers, loaded.damage.is_some(), loaded.next.map(|range| range.after.0))
    };
    assert_eq!(read(1, 3).await, (vec![2, 3, 4], false, Some(4)));
    assert_eq!(read(4, 2).await, (vec![5, 6], false, Some(6)));
    assert_eq!(read(4, 3).await, (vec![5, 6], true, None));
    assert_eq!(read(6, 9).await, (vec![], true, None));
    assert_eq!(read(9, 9).await, (vec![], false, None));
}

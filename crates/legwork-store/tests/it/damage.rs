//! Journals that were damaged.

use std::fs;

use legwork_core::Seq;
use legwork_port::Store as _;
use legwork_port::store::Error;
use legwork_store::sqlite::Store;

use crate::sample::{Folder, append, entries, numbers, said, session, write};

/// Writes entries 1 to 9 in three appends, damages them by SQL, and looks at what is left.
async fn check(damage: &str, left: u64, said: &str) {
    let folder = Folder::new();
    let (name, other) = (session("hurt"), session("fine"));
    let store = folder.store();
    write(&store, &name, &[1..=3, 4..=6, 7..=9]).await;
    write(&store, &other, &[1..=3]).await;
    let changed = folder.sqlite().execute(damage, ()).unwrap();
    assert!(changed > 0, "{damage} changed nothing");

    for _ in 0..2 {
        let loaded = store.read(&name).await.unwrap();
        assert_eq!(loaded.journal.entries(), entries(1..=left), "{damage}");
        let report = loaded.damage.unwrap();
        assert!(report.contains("session hurt") && report.contains(said), "{report}");
    }
    fine(&store, 2).await;

    let claim = store.claim(&name).await.unwrap();
    let wrong = claim.append(Seq(left + 20), &entries(left + 21..=left + 21)).await;
    assert!(wrong.is_err_and(|error| error.is_conflict()), "{damage}");
    append(&*claim, left + 1..=left + 2).await;
    append(&*claim, left + 3..=left + 3).await;
    let loaded = store.read(&name).await.unwrap();
    assert_eq!(loaded.damage, None, "{damage}");
    assert_eq!(loaded.journal.entries(), entries(1..=left + 3), "{damage}");
    fine(&store, 2).await;
}

async fn fine(store: &Store, sessions: usize) {
    assert_eq!(numbers(store, &session("fine")).await, [1, 2, 3]);
    assert_eq!(store.sessions(10).await.unwrap().len(), sessions);
}

const LAST_ROW: &str = "WHERE id = (SELECT max(id) FROM journal WHERE id < 2 << 32)";

#[tokio::test]
async fn s8_4_a_line_that_was_cut_is_left_out() {
    let sql = "UPDATE journal SET entries = substr(entries, 1, length(entries) - 20)";
    check(&format!("{sql} {LAST_ROW}"), 8, "damaged after entry 8").await;
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
    check(&format!("{sql} {row}"), 4, "entry 55 stands where 5 should").await;
}

#[tokio::test]
async fn s8_4_a_first_entry_that_is_damaged_leaves_none() {
    let sql = "UPDATE journal SET entries = x'00ff' WHERE id = (1 << 32) + 3";
    check(sql, 0, "damaged after entry 0").await;
}

#[tokio::test]
async fn s8_4_a_gap_cuts_what_comes_after_it() {
    let sql = "DELETE FROM journal WHERE id = (1 << 32) + 6";
    check(sql, 3, "entry 7 stands where 4 should").await;
}

#[tokio::test]
async fn s8_4_a_row_that_lost_its_last_line_is_noticed() {
    let sql = "UPDATE journal SET entries = \
               CAST(substr(entries, 1, instr(entries, x'0a') - 1) AS BLOB)";
    check(&format!("{sql} {LAST_ROW}"), 7, "up to 9 are not all there").await;
}

#[tokio::test]
async fn s8_5_an_entry_of_a_newer_version_is_no_damage() {
    for line in
        [r#"{"v":7,"seq":4,"parent":3,"at":1,"type":"later","body":{}}"#, r#"{"v":7,"number":4}"#]
    {
        let folder = Folder::new();
        let store = folder.store();
        write(&store, &session("hurt"), &[1..=3]).await;
        write(&store, &session("fine"), &[1..=3]).await;
        let sql = "INSERT INTO journal (id, at, entries) VALUES ((1 << 32) + 4, 1, ?1)";
        folder.sqlite().execute(sql, [line.as_bytes()]).unwrap();

        let error = store.read(&session("hurt")).await.unwrap_err();
        assert!(matches!(error, Error::Newer { found: 7, known: 1, .. }), "{error}");
        let claim = store.claim(&session("hurt")).await.unwrap();
        let error = claim.append(Seq(3), &entries(4..=4)).await.unwrap_err();
        assert!(matches!(error, Error::Newer { found: 7, .. }), "{error}");
        fine(&store, 2).await;
    }
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
            claim.append(Seq(seq - 1), &[said(seq, &text)]).await.unwrap();
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
    assert_eq!(store.sessions(10).await.unwrap().len(), 3);
    let loaded = store.read(&session("hurt")).await.unwrap();
    assert!(loaded.journal.entries().len() < 3);
    assert!(loaded.damage.unwrap().contains("session hurt"));
    let claim = store.claim(&session("fine")).await.unwrap();
    append(&*claim, 4..=4).await;
}

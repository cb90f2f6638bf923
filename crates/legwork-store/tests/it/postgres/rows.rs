//! What the tables have, and rows that other programs changed.

use legwork_core::{Seq, Summary, Timestamp};
use legwork_port::Store as _;
use legwork_port::store::{Batch, DueQuery, Error, Query, Range};
use sqlx::Row as _;

use super::Scratch;
use crate::sample::{append, entries, numbers, session, write};

#[tokio::test]
async fn s8_4_a_damaged_tail_is_set_aside_by_the_next_append() {
    let Some(scratch) = Scratch::new() else { return };
    let (store, name) = (scratch.store("store"), session("hurt"));
    write(&store, &name, &[1..=3, 4..=6, 7..=7]).await;
    let cut = "UPDATE store.journal SET entries = substr(entries, 1, length(entries) - 20)
        WHERE last = 6";
    scratch.sql(cut).await;
    let loaded = store.read(&name, Range::ALL).await.unwrap();
    let damage = loaded.damage.unwrap();
    assert!(damage.contains("session hurt is damaged after entry 5"), "{damage}");
    assert_eq!(loaded.journal.entries(), entries(1..=5));
    // A range that ends before it does not reach it.
    let loaded = store.read(&name, Range::ALL.limit(5)).await.unwrap();
    assert!(loaded.damage.is_none() && loaded.next == Some(Range::after(Seq(5)).limit(5)));
    let claim = store.claim(&name).await.unwrap();
    let moved = claim.append(Seq(4), Batch::of(&entries(5..=5))).await;
    assert!(matches!(moved, Err(Error::Moved { found: Seq(7), .. })), "{moved:?}");
    append(&*claim, 6..=8).await;
    assert_eq!(store.read(&name, Range::ALL).await.unwrap().journal.entries(), entries(1..=8));
    let rows = scratch.sql("SELECT last, entries FROM store.cut ORDER BY last").await;
    let kept: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(kept, [6, 7]);
    let whole = entries(7..=7)[0].encode().unwrap();
    assert_eq!(rows[1].get::<Vec<u8>, _>(1), whole);
}

#[tokio::test]
async fn s8_4_a_row_that_is_gone_is_damage() {
    let Some(scratch) = Scratch::new() else { return };
    for (gone, left) in [(6, 3), (3, 0), (7, 6)] {
        let schema = scratch.new_schema();
        let (store, name) = (scratch.store(&schema), session("gap"));
        write(&store, &name, &[1..=3, 4..=6, 7..=7]).await;
        scratch.sql(&format!("DELETE FROM {schema}.journal WHERE last = {gone}")).await;
        let loaded = store.read(&name, Range::ALL).await.unwrap();
        assert!(loaded.damage.is_some(), "without row {gone}");
        assert_eq!(loaded.journal.entries(), entries(1..=left), "without row {gone}");
        let claim = store.claim(&name).await.unwrap();
        append(&*claim, left + 1..=left + 2).await;
        assert_eq!(numbers(&store, &name).await, (1..=left + 2).collect::<Vec<_>>());
        assert!(store.read(&name, Range::ALL).await.unwrap().damage.is_none());
    }
}

#[tokio::test]
async fn s8_6_nothing_of_a_removed_session_is_in_a_table() {
    let Some(scratch) = Scratch::new() else { return };
    let (store, name) = (scratch.store("store"), session("gone"));
    write(&store, &name, &[1..=3, 4..=6]).await;
    scratch.sql("UPDATE store.journal SET entries = 'x' WHERE last = 6").await;
    append(&*store.claim(&name).await.unwrap(), 4..=4).await;
    store.post(&name, "key", &legwork_core::inbox::Item::Stop("x".into())).await.unwrap();
    write(&store, &session("stays"), &[1..=2]).await;
    store.remove(&[name]).await.unwrap();
    for (table, rows) in [("session", 1), ("journal", 1), ("cut", 0), ("inbox", 0)] {
        let found = scratch.sql(&format!("SELECT 1 FROM store.{table}")).await;
        assert_eq!(found.len(), rows, "{table}");
    }
}

/// Texts of Postgres cannot hold U+0000.
#[tokio::test]
async fn s8_7_what_a_list_says_comes_back_whatever_it_is() {
    let Some(scratch) = Scratch::new() else { return };
    let (store, name) = (scratch.store("store"), session("odd"));
    let claim = store.claim(&name).await.unwrap();
    let mut summary = Summary::default();
    summary.title = "a\0b \\ ' \" % _ ß İ 漢字".to_owned();
    summary.labels = ["x\0y".to_owned(), "{a,b}".to_owned(), String::new()].into();
    summary.agent = Some("clerk\0".into());
    let entries = entries(1..=1);
    claim.append(Seq(0), Batch::of(&entries).with_summary(&summary)).await.unwrap();
    let found = store.sessions(&Query::all()).await.unwrap().sessions;
    assert_eq!(found[0].summary, summary);
    for (query, count) in [
        (Query::all().title("A\0B"), 1),
        (Query::all().title("\\ ' \" % _ SS"), 0),
        (Query::all().title("% _ ß i\u{307}"), 1),
        (Query::all().title("a_b"), 0),
        (Query::all().label("x\0y"), 1),
        (Query::all().label("{a,b}"), 1),
        (Query::all().label(""), 1),
        (Query::all().label("a"), 0),
    ] {
        assert_eq!(found.iter().filter(|info| query.admits(info)).count(), count, "{query:?}");
        assert_eq!(store.sessions(&query).await.unwrap().sessions.len(), count, "{query:?}");
    }
}

#[tokio::test]
async fn s8_8_a_long_journal_comes_back_whole() {
    let Some(scratch) = Scratch::new() else { return };
    let (store, name) = (scratch.store("store"), session("long"));
    let long = "0123456789é".repeat(20_000);
    let claim = store.claim(&name).await.unwrap();
    let mut wanted = Vec::new();
    for seq in 1..=60 {
        let entry = [crate::sample::said(seq, &long)];
        claim.append(Seq(seq - 1), Batch::of(&entry)).await.unwrap();
        wanted.extend(entry);
    }
    assert!(store.read(&name, Range::ALL).await.unwrap().journal.entries() == wanted);
    let part = store.read(&name, Range::after(Seq(50)).limit(3)).await.unwrap();
    assert!(part.journal.entries() == &wanted[50..53]);
}

/// The plan of a statement that finds sessions by an index names this.
#[tokio::test]
async fn s8_9_sessions_that_are_due_are_found_by_an_index() {
    let Some(scratch) = Scratch::new() else { return };
    let store = scratch.store("store");
    store.sessions(&Query::all()).await.unwrap();
    let fill = "INSERT INTO store.session (name, fence, last, created, updated, due_at)
        SELECT 'idle ' || n, 0, 1, n, n, CASE WHEN n % 10000 = 0 THEN n END
        FROM generate_series(1, 100000) n; ANALYZE store.session";
    scratch.sql(fill).await;
    let due = store.due(&DueQuery::at(Timestamp(50_000))).await.unwrap().sessions;
    let since: Vec<_> = due.iter().map(|info| info.updated_at.0).collect();
    assert_eq!(since, [10_000, 20_000, 30_000, 40_000, 50_000]);
    for (statement, index) in [
        (
            "SELECT name FROM store.session WHERE due <= 50000 AND (due, name) > (0, '')
            ORDER BY due, name LIMIT 10",
            "to_do",
        ),
        (
            "SELECT name FROM store.session WHERE last > 0 AND (updated, name) < (50000, 'x')
            ORDER BY updated DESC, name DESC LIMIT 50",
            "listed",
        ),
        (
            "SELECT name FROM store.session WHERE last > 0 AND parent = 'x'
            ORDER BY updated DESC, name DESC LIMIT 50",
            "spawned",
        ),
    ] {
        let rows = scratch.sql(&format!("EXPLAIN {statement}")).await;
        let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        let plan = plan.join("\n");
        assert!(plan.contains(&format!("using {index}")) && !plan.contains("Sort"), "{plan}");
    }
    let page = store.sessions(&Query::first(3)).await.unwrap();
    assert_eq!(page.sessions[0].session.as_str(), "idle 100000");
}

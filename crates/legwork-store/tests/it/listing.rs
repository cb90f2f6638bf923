//! What a list costs: the rows of sessions, and no journal.

use std::sync::Arc;

use legwork_core::event::ExecutionStarted;
use legwork_core::{AgentState, Event, Message, Seq, SessionId, Stamp, Timestamp};
use legwork_port::store::{Batch, Query, Range};
use legwork_port::{Claim, Store as _};
use legwork_store::sqlite::{Commits, Options, Store};
use rusqlite::{Connection, params};

use crate::sample::{Folder, said, session};

/// Makes sessions whose journals are garbage; every tenth is in progress.
fn fill(sqlite: &Connection, count: i64) {
    fill_with(sqlite, count, 3);
}

/// The same, with so many bytes in each journal.
fn fill_with(sqlite: &Connection, count: i64, bytes: i64) {
    let tx = sqlite.unchecked_transaction().unwrap();
    for number in 1..=count {
        let in_progress = number % 10 == 0;
        let status = if in_progress { "in_progress" } else { "completed" };
        let updated = (!in_progress).then_some(1_000 + number / 2);
        let sql = "INSERT INTO session (id, name, created, updated, status, title, steps)
            VALUES (?1, ?2, 1, ?3, ?4, ?5, 3)";
        let (name, title) = (format!("session {number}"), format!("task {number}"));
        tx.execute(sql, params![number, name, updated, status, title]).unwrap();
        let sql = "INSERT INTO journal (id, at, entries) VALUES (?1, ?2, zeroblob(?3))";
        tx.execute(sql, params![number << 32 | 7, 1_000 + number / 2, bytes]).unwrap();
    }
    tx.commit().unwrap();
}

async fn pages(store: &Store, limit: usize) -> (usize, Vec<SessionId>) {
    let (mut query, mut count, mut all) = (Query::first(limit), 0, Vec::new());
    loop {
        let page = store.sessions(&query).await.unwrap();
        count += 1;
        let sound = page.sessions.iter().all(|info| {
            let number: u64 = info.session.as_str()["session ".len()..].parse().unwrap();
            let updated = info.updated_at == Timestamp(1_000 + number / 2);
            updated && info.entries == 7 && info.summary.steps == 3
        });
        assert!(sound, "{page:?}");
        all.extend(page.sessions.into_iter().map(|info| info.session));
        let Some(next) = page.next else { return (count, all) };
        query = query.after(next);
    }
}

#[tokio::test]
async fn s8_7_ten_thousand_sessions_are_listed_without_reading_a_journal() {
    let folder = Folder::new();
    let store = folder.store();
    fill(&folder.sqlite(), 10_000);
    let (count, mut all) = pages(&store, 100).await;
    assert_eq!(count, 100);
    let (ten, whole) = pages(&store, usize::MAX).await;
    assert_eq!((ten, &whole), (1, &all));
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 10_000);
    // Whoever reads one finds that there is nothing to be read in it.
    assert!(store.read(&all[0], Range::ALL).await.unwrap().damage.is_some());
}

/// Bytes that this process has read by system calls; this test has the process to itself.
fn bytes_read() -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap();
    let read = io.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
    read.parse().unwrap()
}

/// What a list of 10,000 sessions reads of its file, in pages of 100, where each journal has so
/// many bytes.
async fn read_by_listing(bytes: i64) -> u64 {
    let folder = Folder::new();
    let store = folder.store();
    let sqlite = folder.sqlite();
    fill_with(&sqlite, 10_000, bytes);
    sqlite.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).unwrap();
    // Opened anew: nothing is in its cache.
    drop((store, sqlite));
    let store = folder.store();
    let before = bytes_read();
    let (count, all) = pages(&store, 100).await;
    assert_eq!(count, 100);
    let listing = bytes_read() - before;
    // A journal that is read is seen by this measure.
    let before = bytes_read();
    assert!(store.read(&all[0], Range::ALL).await.unwrap().damage.is_some());
    assert!(bytes_read() - before > bytes as u64);
    listing
}

/// Journals that are longer by whole pages of their own lie on as many pages of the tree: if
/// any byte of them were read, a list over the longer ones would read more.
#[tokio::test]
async fn s8_7_a_list_reads_as_many_bytes_however_long_the_journals_are() {
    const PAGE: i64 = 1024 - 4;
    let short = read_by_listing(5 * PAGE).await;
    let long = read_by_listing(10 * PAGE).await;
    // The count itself is read from a file, whose length varies by a few bytes.
    assert!(short.abs_diff(long) < PAGE as u64, "{short} and {long} bytes were read");
}

#[test]
fn s8_7_a_page_is_found_by_the_index() {
    let folder = Folder::new();
    drop(folder.store());
    let sqlite = folder.sqlite();
    fill(&sqlite, 100);
    let plan = |sql: &str| {
        let mut plan = sqlite.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let rows = plan.query_map((), |row| row.get::<_, String>(3)).unwrap();
        rows.map(Result::unwrap).collect::<Vec<_>>().join("\n")
    };
    let source = include_str!("../../src/sqlite/listing.rs");
    let listed = source.split("select!(\"").skip(1).take(2);
    let listed = listed.map(|rest| (format!("SELECT title FROM session {rest}"), "INDEX listed"));
    let source = include_str!("../../src/sqlite/due.rs");
    let due = source.split("\"SELECT ").skip(1);
    let due = due.map(|rest| (format!("SELECT {rest}"), "INDEX to_do"));
    let statements: Vec<_> = listed.chain(due).collect();
    assert_eq!(statements.len(), 3);
    for (statement, index) in statements {
        let sql = statement.split_once('"').unwrap().0;
        let numbered = |sql: String, number| sql.replace(&format!("?{number}"), "5");
        let plan_text = plan(&(1..=4).fold(sql.to_owned(), numbered));
        assert!(plan_text.contains(index) && !plan_text.contains("SORT"), "{sql}: {plan_text}");
        assert!(!plan_text.contains("TEMP") && !sql.contains("journal"), "{sql}: {plan_text}");
    }
}

/// Frames in the log.
fn frames(sqlite: &Connection) -> i64 {
    sqlite.query_row("PRAGMA wal_checkpoint(NOOP)", (), |row| row.get(1)).unwrap()
}

/// An append of the session's next event, with or without its summary; pages it wrote.
async fn commit(
    (sqlite, claim): (&Connection, &dyn Claim),
    state: &mut AgentState,
    event: Event,
) -> i64 {
    let known = Arc::clone(state.summary());
    let expected = state.committed_version();
    *state = state.clone().with(event);
    let entries = state.uncommitted().to_shared();
    let mut batch = Batch::of(&entries);
    if state.summary() != &known {
        batch = batch.with_summary(state.summary());
    }
    let before = frames(sqlite);
    claim.append(expected, batch).await.unwrap();
    *state = state.clone().committed();
    frames(sqlite) - before
}

/// Pages of an append that changes no summary, as those of an append without any.
#[tokio::test]
async fn s8_7_a_step_writes_no_page_for_the_list() {
    let folder = Folder::new();
    let store = Options::new().commits(Commits::Inline).open(folder.db()).unwrap();
    let sqlite = folder.sqlite();
    fill(&sqlite, 10_000);
    let (plain, listed) = (session("plain"), session("listed"));
    let (one, other) = (store.claim(&plain).await.unwrap(), store.claim(&listed).await.unwrap());
    let mut without = Vec::new();
    for seq in 1..=30 {
        let before = frames(&sqlite);
        one.append(Seq(seq - 1), Batch::of(&[said(seq, "a step")])).await.unwrap();
        without.push(frames(&sqlite) - before);
    }
    let stamp = Stamp { wall: Timestamp(5_000), ..Stamp::default() };
    let mut state = AgentState::new(listed.clone()).at(stamp);
    let input = vec![Arc::new(Message::user("Go"))];
    let begins = Event::ExecutionStarted(ExecutionStarted { input });
    let begins = commit((&sqlite, &*other), &mut state, begins).await;
    let mut with = Vec::new();
    for _ in 2..=30 {
        let event = Event::MessageAdded(Arc::new(Message::user("a step")));
        with.push(commit((&sqlite, &*other), &mut state, event).await);
    }
    let (without, steps) = (&without[1..], with.iter().sum::<i64>());
    assert!(steps <= without.iter().sum::<i64>(), "{with:?} against {without:?}");
    assert!(begins <= 8, "the first commit of an execution writes {begins} pages");
}

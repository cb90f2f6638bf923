//! Appends that wait together share one transaction, and so one sync.

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use legwork_core::inbox::{Cursor, Item};
use legwork_core::{Entry, Seq};
use legwork_port::Store as _;
use legwork_port::store::{Batch, Error, Query};
use legwork_store::sqlite::{Commits, Options};

use super::folder::Folder;
use crate::open_files;
use crate::sample::{append, entries, numbers, said, session};

/// Polls a future once, so that what it asks for begins; it may be done by then.
async fn begins<F: Future + ?Sized>(future: Pin<&mut F>) {
    let mut future = Some(future);
    std::future::poll_fn(|cx| {
        if let Some(future) = future.take() {
            let _ = future.poll(cx);
        }
        Poll::Ready(())
    })
    .await;
}

/// Polls a future once, so that what it asks for waits in the queue.
async fn asks<F: Future + ?Sized>(future: Pin<&mut F>) {
    let mut future = Some(future);
    std::future::poll_fn(|cx| {
        if let Some(future) = future.take() {
            assert!(future.poll(cx).is_pending());
        }
        Poll::Ready(())
    })
    .await;
}

#[tokio::test]
async fn appends_that_wait_together_share_a_commit_and_each_has_its_own_result() {
    let folder = Folder::new();
    let store = folder.store();
    let mut claims = Vec::new();
    for number in 0..20 {
        claims.push(store.claim(&session(&number.to_string())).await.unwrap());
    }
    for claim in &claims {
        append(&**claim, 1..=2).await;
    }
    let before = store.stats();

    // Nobody can write while another program does.
    let other = folder.sqlite();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let batch = entries(3..=4);
    let wrong = entries(9..=9);
    let mut waiting: Vec<_> = claims
        .iter()
        .enumerate()
        .map(|(number, claim)| match number % 4 {
            3 => claim.append(Seq(8), Batch::of(&wrong)),
            _ => claim.append(Seq(2), Batch::of(&batch)),
        })
        .collect();
    for append in &mut waiting {
        asks(append.as_mut()).await;
    }
    other.execute_batch("COMMIT").unwrap();

    for (number, append) in waiting.into_iter().enumerate() {
        let result = append.await;
        let refused = result.is_err_and(|error| error.is_conflict());
        assert_eq!(refused, number % 4 == 3, "append {number}");
        let last = if refused { 2 } else { 4 };
        let found = numbers(&store, &session(&number.to_string())).await;
        assert_eq!(found, (1..=last).collect::<Vec<_>>());
    }
    let commits = store.stats().commits - before.commits;
    // The thread may have taken the first alone before the others came.
    assert!((1..=2).contains(&commits), "15 appends took {commits} commits");
}

#[tokio::test]
async fn s8_6_a_removal_that_fails_among_others_is_undone_alone() {
    let folder = Folder::new();
    let store = folder.store();
    let [known, unknown, other] = ["a known one", "b unknown", "other"].map(session);
    append(&*store.claim(&known).await.unwrap(), 1..=3).await;
    let claim = store.claim(&other).await.unwrap();
    let program = folder.sqlite();
    program.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (both, few, more) = ([known.clone(), unknown.clone()], entries(1..=2), entries(3..=4));
    let mut first = claim.append(Seq(0), Batch::of(&few));
    let mut removal = store.remove(&both);
    let mut last = claim.append(Seq(2), Batch::of(&more));
    for waiting in [first.as_mut(), last.as_mut()] {
        asks(waiting).await;
    }
    asks(removal.as_mut()).await;
    program.execute_batch("COMMIT").unwrap();

    first.await.unwrap();
    last.await.unwrap();
    let error = removal.await.unwrap_err();
    assert!(matches!(&error, Error::Unknown { session } if *session == unknown), "{error}");
    assert_eq!(numbers(&store, &known).await, [1, 2, 3]);
    assert_eq!(numbers(&store, &other).await, [1, 2, 3, 4]);
}

#[tokio::test]
async fn one_that_finds_no_room_fails_no_other() {
    let folder = Folder::new();
    let options = Options::new().max_bytes(200_000);
    let store = options.open(folder.db()).unwrap();
    let [small, large, after] = ["small", "large", "after"].map(session);
    let (small_claim, large_claim, after_claim) = (
        store.claim(&small).await.unwrap(),
        store.claim(&large).await.unwrap(),
        store.claim(&after).await.unwrap(),
    );
    let other = folder.sqlite();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let few = entries(1..=2);
    let too_much = [crate::sample::said(1, &"x".repeat(1_000_000))];
    let mut first = small_claim.append(Seq(0), Batch::of(&few));
    let mut second = large_claim.append(Seq(0), Batch::of(&too_much));
    let mut third = after_claim.append(Seq(0), Batch::of(&few));
    asks(first.as_mut()).await;
    asks(second.as_mut()).await;
    asks(third.as_mut()).await;
    other.execute_batch("COMMIT").unwrap();
    first.await.unwrap();
    assert!(second.await.unwrap_err().to_string().contains("disk is full"));
    third.await.unwrap();
    assert_eq!(numbers(&store, &small).await, [1, 2]);
    assert!(numbers(&store, &large).await.is_empty());
    assert_eq!(numbers(&store, &after).await, [1, 2]);
}

#[tokio::test]
async fn inline_commits_wait_for_another_process_on_a_thread_of_their_own() {
    let folder = Folder::new();
    let store = Options::new().commits(Commits::Inline).open(folder.db()).unwrap();
    let [first, second] = ["first", "second"].map(session);
    let first_claim = store.claim(&first).await.unwrap();
    let second_claim = store.claim(&second).await.unwrap();
    let other = folder.sqlite();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let batch = entries(1..=2);
    let mut one = first_claim.append(Seq(0), Batch::of(&batch));
    let mut two = second_claim.append(Seq(0), Batch::of(&batch));
    // Both come back at once: the thread that asks is not the one that waits.
    asks(one.as_mut()).await;
    asks(two.as_mut()).await;
    other.execute_batch("COMMIT").unwrap();
    one.await.unwrap();
    two.await.unwrap();
    append(&*first_claim, 3..=3).await;
    assert_eq!(numbers(&store, &first).await, [1, 2, 3]);
    assert_eq!(numbers(&store, &second).await, [1, 2]);
}

#[tokio::test]
async fn an_inline_commit_is_there_when_it_was_first_asked_for() {
    let folder = Folder::new();
    let store = Options::new().commits(Commits::Inline).open(folder.db()).unwrap();
    let claim = store.claim(&session("s")).await.unwrap();
    let batch = entries(1..=2);
    let mut append = claim.append(Seq(0), Batch::of(&batch));
    let at_once = std::future::poll_fn(|cx| Poll::Ready(append.as_mut().poll(cx))).await;
    assert!(matches!(at_once, Poll::Ready(Ok(_))), "{at_once:?}");
    assert_eq!(numbers(&folder.store(), &session("s")).await, [1, 2]);
}

/// Frames of the log that are not in the file yet.
fn frames(folder: &Folder) -> i64 {
    let look = "PRAGMA wal_checkpoint(NOOP)";
    let waiting = |row: &rusqlite::Row<'_>| Ok(row.get::<_, i64>(1)? - row.get::<_, i64>(2)?);
    folder.sqlite().query_row(look, (), waiting).unwrap()
}

#[tokio::test]
async fn a_long_log_is_copied_into_the_file_when_a_session_comes_to_rest() {
    for commits in [Commits::Inline, Commits::Grouped] {
        let folder = Folder::new();
        let store = Options::new().commits(commits).open(folder.db()).unwrap();
        let claim = store.claim(&session("s")).await.unwrap();
        let mut last = 0;
        while frames(&folder) < 2_000 {
            last += 1;
            claim.append(Seq(last - 1), Batch::of(&[large(last)])).await.unwrap();
        }
        drop(claim);
        // The last handle waits for what was asked for.
        drop(store);
        assert_eq!(frames(&folder), 0, "{commits:?}");
        assert_eq!(numbers(&folder.store(), &session("s")).await.len() as u64, last);
    }
}

/// An entry that takes some 200 frames.
fn large(seq: u64) -> Arc<Entry> {
    said(seq, &"x".repeat(200_000))
}

#[tokio::test]
async fn a_log_that_is_in_the_file_stays_when_a_session_comes_to_rest() {
    for commits in [Commits::Inline, Commits::Grouped] {
        let folder = Folder::new();
        let store = Options::new().commits(commits).open(folder.db()).unwrap();
        let claim = store.claim(&session("s")).await.unwrap();
        for seq in 1..=5 {
            claim.append(Seq(seq - 1), Batch::of(&[large(seq)])).await.unwrap();
        }
        // With what is copied counted twice it would be a long one.
        assert!((800..1_500).contains(&frames(&folder)));
        folder.sqlite().query_row("PRAGMA wal_checkpoint(PASSIVE)", (), |_| Ok(())).unwrap();
        assert_eq!(frames(&folder), 0);
        drop(claim);
        let log = folder.path().join("store.db-wal");
        drop(store);
        assert!(std::fs::metadata(log).unwrap().len() > 0, "{commits:?}");
    }
}

#[tokio::test]
async fn s8_2_a_change_whose_caller_gave_up_wakes_whoever_watches() {
    let folder = Folder::new();
    let store = folder.store();
    let (name, item) = (session("s"), Item::Stop("enough".into()));
    let claim = store.claim(&name).await.unwrap();

    let (watched, batch) = (store.watch(&name).unwrap(), entries(1..=2));
    let mut append = claim.append(Seq(0), Batch::of(&batch));
    begins(append.as_mut()).await;
    while numbers(&store, &name).await.is_empty() {}
    drop(append);
    watched.await;

    let watched = store.watch(&name).unwrap();
    let mut post = store.post(&name, "key", &item);
    begins(post.as_mut()).await;
    while store.inbox(&name, Cursor(0)).await.unwrap().is_empty() {}
    drop(post);
    watched.await;

    drop(claim);
    let (watched, names) = (store.watch(&name).unwrap(), [name.clone()]);
    let mut removal = store.remove(&names);
    begins(removal.as_mut()).await;
    while !numbers(&store, &name).await.is_empty() {}
    drop(removal);
    watched.await;
}

#[tokio::test]
async fn a_dropped_store_has_closed_its_files() {
    let folder = Folder::new();
    let store = folder.store();
    crate::sample::write(&store, &session("s"), &[1..=3_000]).await;
    let name = session("s");
    let mut reading = store.read(&name, legwork_port::store::Range::ALL);
    asks(reading.as_mut()).await;
    // Nobody waits for it any more, but a thread reads.
    drop(reading);
    assert!(!open_files::below(folder.path()).is_empty());
    drop(store);
    let left = open_files::below(folder.path());
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_dropped_store_waits_for_no_other_process() {
    let folder = Folder::new();
    for commits in [Commits::Inline, Commits::Grouped] {
        let options = Options::new().patience(Duration::from_secs(3_600)).commits(commits);
        let store = options.open(folder.db()).unwrap();
        let claim = store.claim(&session("s")).await.unwrap();
        let other = folder.sqlite();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let batch = entries(1..=2);
        let mut append = claim.append(Seq(0), Batch::of(&batch));
        asks(append.as_mut()).await;
        // Meanwhile the thread begins to wait.
        assert!(numbers(&store, &session("s")).await.is_empty());
        drop(append);
        drop(claim);
        drop(store);
        other.execute_batch("COMMIT").unwrap();
        assert!(numbers(&folder.store(), &session("s")).await.is_empty());
    }
}

#[tokio::test]
async fn a_closed_store_has_closed_its_files() {
    let folder = Folder::new();
    let store = folder.store();
    crate::sample::write(&store, &session("s"), &[1..=3]).await;
    assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3]);
    let other = store.clone();
    store.close().await;
    assert_eq!(numbers(&other, &session("s")).await, [1, 2, 3]);
    other.close().await;
    let left = open_files::below(folder.path());
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_short_log_stays_when_a_session_comes_to_rest() {
    let folder = Folder::new();
    let store = folder.store();
    crate::sample::write(&store, &session("s"), &[1..=3]).await;
    drop(store);
    assert!(frames(&folder) > 0);
}

#[tokio::test]
async fn readers_are_never_blocked_by_a_writer() {
    let folder = Folder::new();
    let store = folder.store();
    crate::sample::write(&store, &session("s"), &[1..=3]).await;
    let other = folder.sqlite();
    other.execute_batch("BEGIN IMMEDIATE; DELETE FROM journal").unwrap();
    assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3]);
    assert_eq!(store.sessions(&Query::first(10)).await.unwrap().sessions.len(), 1);
    let fresh = folder.store();
    assert_eq!(numbers(&fresh, &session("s")).await, [1, 2, 3]);
}

#[tokio::test]
async fn waiting_too_long_for_another_process_is_an_error() {
    let folder = Folder::new();
    let patience = Duration::from_millis(20);
    let store = Options::new().patience(patience).open(folder.db()).unwrap();
    let other = folder.sqlite();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.claim(&session("s")).await.err().unwrap();
    assert!(error.to_string().contains("kept it locked"), "{error}");
    other.execute_batch("COMMIT").unwrap();
    store.claim(&session("s")).await.unwrap();
}

#[tokio::test]
async fn the_figures_count_what_was_written() {
    let folder = Folder::new();
    let store = folder.store();
    let claim = store.claim(&session("s")).await.unwrap();
    let before = store.stats();
    append(&*claim, 1..=5).await;
    assert!(claim.append(Seq(9), Batch::of(&entries(10..=10))).await.is_err());
    claim.append(Seq(5), Batch::of(&[])).await.unwrap();
    let after = store.stats();
    assert_eq!(after.commits - before.commits, 1);
    let lines = entries(1..=5).into_iter().map(|entry| entry.encode().unwrap().len() as u64 + 1);
    assert_eq!(after.bytes - before.bytes, lines.sum::<u64>() - 1);
    assert!(after.file > 0 && after.wal > before.wal);
}

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

use std::future::{Future, poll_fn};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::task::Poll;

use futures_util::FutureExt as _;

use super::*;
use crate::sqlite::connect::Hurry;

/// A writer of a table with numbers, and what reads it.
fn writer(commits: Commits, folder: &tempfile::TempDir) -> (Writer, Connection) {
    let path = folder.path().join("numbers.db");
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE n (n)").unwrap();
    let connection = Connection::open(&path).unwrap();
    let connected = Connected { connection, read_only: false, hurry: Hurry::default() };
    (Writer::new(Name::of(&path), commits, connected), reader)
}

fn numbers(reader: &Connection) -> Vec<i64> {
    let mut all = reader.prepare("SELECT n FROM n ORDER BY n").unwrap();
    all.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

async fn add(writer: &Writer, number: i64) -> Result<(), Error> {
    let insert = move |tx: &Connection| {
        tx.execute("INSERT INTO n VALUES (?1)", [number]).unwrap();
        Ok(())
    };
    writer.write(Synced::Now, insert, || ()).await
}

/// Asks once, so that it waits in the queue.
async fn waits(asked: impl Future<Output = Result<(), Error>>) {
    let mut asked = pin!(asked);
    poll_fn(|cx| {
        assert!(asked.as_mut().poll(cx).is_pending());
        Poll::Ready(())
    })
    .await;
}

#[tokio::test]
async fn what_was_given_up_while_it_waited_does_not_happen_after_what_came_later() {
    for commits in [Commits::Inline, Commits::Grouped] {
        let folder = tempfile::tempdir().unwrap();
        let (writer, reader) = writer(commits, &folder);
        let (committer, busy) = (Arc::clone(&writer.committer), std::sync::mpsc::channel::<()>());
        let taken = std::sync::mpsc::channel();
        // Somebody has the committer, so that all of these wait.
        let holder = thread::spawn(move || {
            let _held = committer.lock().unwrap();
            taken.0.send(()).unwrap();
            let _ = busy.1.recv();
        });
        taken.1.recv().unwrap();
        waits(add(&writer, 1)).await;
        waits(add(&writer, 2)).await;
        drop(busy.0);
        holder.join().unwrap();
        add(&writer, 3).await.unwrap();
        // Waits for the thread.
        drop(writer);
        assert_eq!(numbers(&reader), [3], "{commits:?}");
    }
}

#[tokio::test]
async fn a_change_that_panics_locks_nobody_out() {
    for commits in [Commits::Inline, Commits::Grouped] {
        let folder = tempfile::tempdir().unwrap();
        let (writer, reader) = writer(commits, &folder);
        let panics = |tx: &Connection| -> Result<(), Error> {
            tx.execute("INSERT INTO n VALUES (1)", ()).unwrap();
            panic!("a change that panics")
        };
        let asked = AssertUnwindSafe(writer.write(Synced::Now, panics, || ())).catch_unwind().await;
        assert!(asked.is_err() || asked.is_ok_and(|answer| answer.is_err()));
        reader.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
        reader.execute("INSERT INTO n VALUES (2)", ()).unwrap();
        assert_eq!(numbers(&reader), [2], "{commits:?}");
    }
}

#[tokio::test]
async fn what_fails_but_not_for_another_writer_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, reader) = writer(Commits::Inline, &folder);
    let refuse = |connection: &Connection, _: &Name| {
        connection.pragma_update(None, "query_only", true).unwrap();
    };
    writer.at_hand().unwrap().ask(refuse);
    let mut asked = pin!(add(&writer, 1));
    let at_once = poll_fn(|cx| Poll::Ready(asked.as_mut().poll(cx))).await;
    let Poll::Ready(Err(error)) = at_once else { panic!("{at_once:?}") };
    assert!(error.to_string().contains("can only be read"), "{error}");
    assert!(numbers(&reader).is_empty());
}

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

/// Somebody who has the committer, so that everybody else waits.
struct Busy {
    ends: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl Busy {
    fn with(writer: &Writer) -> Self {
        let (committer, (ends, end)) = (Arc::clone(&writer.committer), mpsc::channel());
        let (taken, is_taken) = mpsc::channel();
        let thread = thread::spawn(move || {
            let _held = committer.lock().unwrap();
            taken.send(()).unwrap();
            let _ = end.recv();
        });
        is_taken.recv().unwrap();
        Self { ends, thread }
    }

    fn ends(self) {
        drop(self.ends);
        self.thread.join().unwrap();
    }
}

#[tokio::test]
async fn what_was_given_up_while_it_waited_does_not_happen_after_what_came_later() {
    for commits in [Commits::Inline, Commits::Grouped] {
        let folder = tempfile::tempdir().unwrap();
        let (writer, reader) = writer(commits, &folder);
        let busy = Busy::with(&writer);
        waits(add(&writer, 1)).await;
        waits(add(&writer, 2)).await;
        busy.ends();
        add(&writer, 3).await.unwrap();
        // Waits for the thread.
        drop(writer);
        assert_eq!(numbers(&reader), [3], "{commits:?}");
    }
}

#[tokio::test]
async fn what_was_given_up_while_its_transaction_could_not_begin_does_not_happen() {
    for commits in [Commits::Inline, Commits::Grouped] {
        let folder = tempfile::tempdir().unwrap();
        let (writer, reader) = writer(commits, &folder);
        let (waits_for, is_waited_for) = mpsc::channel();
        let waiting = move |_| waits_for.send(()).is_ok();
        // The one that is inline is busy once, and goes to the thread.
        let mut hurried = commits == Commits::Inline;
        let waiting = move |attempt| !std::mem::take(&mut hurried) && waiting(attempt);
        writer.committer.lock().unwrap().connection().busy_handler(Some(waiting)).unwrap();
        reader.execute_batch("BEGIN IMMEDIATE").unwrap();
        let mut given_up = Box::pin(add(&writer, 1));
        assert!((&mut given_up).now_or_never().is_none());
        is_waited_for.recv().unwrap();
        drop(given_up);
        reader.execute_batch("COMMIT").unwrap();
        add(&writer, 3).await.unwrap();
        assert_eq!(numbers(&reader), [3], "{commits:?}");
    }
}

#[tokio::test]
async fn a_change_that_fails_among_others_is_undone_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, reader) = writer(Commits::Grouped, &folder);
    let fails = |tx: &Connection| -> Result<(), Error> {
        tx.execute("INSERT INTO n VALUES (2)", ()).unwrap();
        Err(Name::of("n".as_ref()).failed("a change that fails"))
    };
    let busy = Busy::with(&writer);
    let mut all = pin!(futures_util::future::join3(
        add(&writer, 1),
        writer.write(Synced::Now, fails, || ()),
        add(&writer, 3),
    ));
    assert!(all.as_mut().now_or_never().is_none());
    busy.ends();
    let (first, second, third) = all.await;
    assert!(first.is_ok() && second.is_err() && third.is_ok());
    assert_eq!(numbers(&reader), [1, 3]);
}

#[tokio::test]
async fn a_change_that_panics_leaves_no_lock() {
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
async fn a_failure_without_another_writer_is_returned_at_once() {
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

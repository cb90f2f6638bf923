//! Sessions that are removed are gone, from the files too.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use legwork_core::inbox::{Cursor, Item};
use legwork_core::{Entry, Event, Message, Seq};
use legwork_port::Store as _;
use legwork_port::store::{Batch, Query, Removal};
use legwork_store::sqlite::{Commits, Options, Store};

use super::folder::Folder;
use crate::child::Child;
use crate::sample::{numbers, said, session, write};

const SECRET: &str = "correct horse battery staple";

/// Whether any file of the store holds the bytes.
fn holds(folder: &Folder, wanted: &str) -> bool {
    let files = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
    files.filter(|path| path.is_file()).any(|path| {
        let bytes = fs::read(path).unwrap();
        bytes.windows(wanted.len()).any(|window| window == wanted.as_bytes())
    })
}

/// Two sessions that are written by turns, small entries and large ones, so that rows are
/// moved from page to page.
async fn two_by_turns(store: &Store) {
    let (one, two) = (session(&format!("one {SECRET}")), session("two"));
    for seq in 1..=60 {
        for (name, word) in [(&one, SECRET), (&two, "plain")] {
            let text = format!("{seq} {}", word.repeat(if seq % 7 == 0 { 400 } else { 2 }));
            let claim = store.claim(name).await.unwrap();
            claim.append(Seq(seq - 1), Batch::of(&[said(seq, &text)])).await.unwrap();
        }
    }
    let item = Item::Steer(Arc::new(Message::user(SECRET)));
    store.post(&one, SECRET, &item).await.unwrap();
}

async fn nothing_is_left(store: Store, folder: Folder) {
    two_by_turns(&store).await;
    assert!(holds(&folder, SECRET));
    let one = session(&format!("one {SECRET}"));
    assert_eq!(store.remove(&[one]).await.unwrap(), Removal::Complete);
    assert!(!holds(&folder, SECRET), "while it is open");
    drop(store);
    assert!(!holds(&folder, SECRET), "when it is closed");
    let again = folder.store();
    assert_eq!(numbers(&again, &session("two")).await, (1..=60).collect::<Vec<_>>());
    assert_eq!(again.sessions(&Query::first(9)).await.unwrap().sessions.len(), 1);
}

#[tokio::test]
async fn s8_6_nothing_of_a_removed_session_is_left_in_the_files() {
    let folder = Folder::new();
    nothing_is_left(folder.store(), folder).await;
}

#[tokio::test]
async fn s8_6_nothing_is_left_where_the_caller_commits() {
    let folder = Folder::new();
    let store = Options::new().commits(Commits::Inline).open(folder.db()).unwrap();
    nothing_is_left(store, folder).await;
}

#[tokio::test]
async fn s8_6_nothing_is_left_where_the_caller_gave_up() {
    for commits in [Commits::Grouped, Commits::Inline] {
        let folder = Folder::new();
        let store = Options::new().commits(commits).open(folder.db()).unwrap();
        two_by_turns(&store).await;
        let names = [session(&format!("one {SECRET}"))];
        let mut removing = store.remove(&names);
        assert!((&mut removing).now_or_never().is_none());
        while !numbers(&store, &names[0]).await.is_empty() {}
        drop(removing);
        // Waits for the thread.
        drop(store);
        assert!(!holds(&folder, SECRET), "{commits:?}");
    }
}

#[tokio::test]
async fn s8_6_a_concurrent_reader_is_reported_and_the_session_is_gone() {
    let folder = Folder::new();
    let store = Options::new().patience(Duration::from_millis(20)).open(folder.db()).unwrap();
    write(&store, &session("s"), &[1..=3]).await;
    let reader = folder.sqlite();
    let looking = reader.unchecked_transaction().unwrap();
    looking.query_row("SELECT count(*) FROM journal", (), |_| Ok(())).unwrap();
    let removed = store.remove(&[session("s")]).await.unwrap();
    let Removal::Traces(why) = removed else { panic!("{removed:?}") };
    assert!(why.contains("another process"), "{why}");
    assert!(store.sessions(&Query::first(9)).await.unwrap().sessions.is_empty());
}

#[tokio::test]
async fn s8_6_a_lost_claim_writes_into_no_session_that_took_the_place() {
    let folder = Folder::new();
    let store = folder.store();
    for next in ["s", "other"] {
        let lost = store.claim(&session("s")).await.unwrap();
        lost.append(Seq(0), Batch::of(&[said(1, "old")])).await.unwrap();
        // The lock is on a file: without the file there is none.
        fs::remove_dir_all(folder.path().join("store.db-claims")).unwrap();
        store.remove(&[session("s")]).await.unwrap();
        let refused = lost.append(Seq(1), Batch::of(&[said(2, "old")])).await.unwrap_err();
        assert!(refused.is_conflict() && refused.to_string().contains("removed"), "{refused}");
        write(&store, &session(next), &[1..=1]).await;
        assert!(lost.append(Seq(1), Batch::of(&[said(2, "old")])).await.unwrap_err().is_conflict());
        drop(lost);
        store.remove(&[session(next)]).await.unwrap();
    }
}

#[tokio::test]
async fn s8_6_another_process_goes_on_writing_meanwhile() {
    let folder = Folder::new();
    let store = folder.store();
    let mut child = Child::start("append", &folder.db());
    let mut durable = 0;
    for number in 0..10 {
        let name = session(&format!("{number}"));
        write(&store, &name, &[1..=30]).await;
        store.remove(&[name]).await.unwrap();
        durable = child.next_line().unwrap().parse().unwrap();
    }
    child.kill();
    let last = numbers(&folder.store(), &session("s")).await.len();
    assert!(last >= durable, "{last} entries, {durable} were reported as durable");
    assert_eq!(store.sessions(&Query::first(99)).await.unwrap().sessions.len(), 1);
}

#[tokio::test]
async fn s8_6_a_store_that_is_only_read_removes_nothing() {
    let folder = Folder::new();
    write(&folder.store(), &session("s"), &[1..=3]).await;
    let store = Options::new().read_only().open(folder.db()).unwrap();
    assert!(store.remove(&[session("s")]).await.is_err());
    assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3]);
}

#[tokio::test]
async fn s8_6_a_killed_process_removed_sessions_whole_or_not_at_all() {
    let folder = Folder::new();
    let store = folder.store();
    for number in 0..40u64 {
        let name = session(&format!("{number:02}"));
        let claim = store.claim(&name).await.unwrap();
        let entry = |seq| {
            let event = Event::MessageAdded(Arc::new(Message::user("x".repeat(5_000))));
            let at = legwork_core::Timestamp(1_000 * number + seq);
            Arc::new(Entry { seq: Seq(seq), parent: Seq(seq - 1), at, event })
        };
        claim.append(Seq(0), Batch::of(&(1..=4).map(entry).collect::<Vec<_>>())).await.unwrap();
        store.post(&name, "key", &Item::Stop("enough".into())).await.unwrap();
    }
    for round in 0..8 {
        let mut child = Child::start("remove", &folder.db());
        for _ in 0..=round % 3 {
            child.next_line().unwrap();
        }
        child.kill();
        let left = folder.store();
        let sessions = left.sessions(&Query::all()).await.unwrap().sessions;
        assert_eq!(sessions.len() % 2, 0, "two were removed at a time: {sessions:?}");
        for number in 0..40 {
            let name = session(&format!("{number:02}"));
            let entries = numbers(&left, &name).await.len();
            let items = left.inbox(&name, Cursor(0)).await.unwrap().len();
            assert!(matches!((entries, items), (4, 1) | (0, 0)), "{entries} {items}");
        }
    }
}

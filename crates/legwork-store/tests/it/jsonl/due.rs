//! The index of sessions that may have work to do.

use std::fs;
use std::process::Command;

use legwork_core::inbox::Item;
use legwork_core::{Seq, Summary, Timestamp};
use legwork_port::Store as _;
use legwork_port::store::{Batch, DueQuery, Query, Range};
use legwork_store::jsonl::Store;

use super::folder::Folder;
use crate::child::Child;
use crate::sample::{entries, session, write};

fn marks(folder: &Folder) -> Vec<String> {
    let marks = fs::read_dir(folder.root().join("due")).unwrap();
    let mut marks: Vec<_> =
        marks.map(|mark| mark.unwrap().file_name().into_string().unwrap()).collect();
    marks.sort();
    marks
}

async fn due(store: &Store) -> Vec<String> {
    let page = store.due(&DueQuery::at(Timestamp(u64::MAX))).await.unwrap();
    page.sessions.iter().map(|info| info.session.as_str().to_owned()).collect()
}

async fn post(store: &Store, name: &str) {
    store.post(&session(name), "key", &Item::Stop("enough".into())).await.unwrap();
}

#[tokio::test]
async fn s8_9_only_sessions_that_may_be_due_are_in_the_index() {
    let folder = Folder::new();
    let store = folder.store();
    for name in ["idle", "told", "later"] {
        write(&store, &session(name), &[1..=2]).await;
    }
    assert_eq!(marks(&folder), Vec::<String>::new());
    post(&store, "told").await;
    let claim = store.claim(&session("later")).await.unwrap();
    let mut summary = Summary::default();
    summary.due_at = Some(Timestamp(u64::MAX - 1));
    claim.append(Seq(2), Batch::of(&[]).with_summary(&summary)).await.unwrap();
    drop(claim);
    assert_eq!(marks(&folder), ["later", "told"]);
    assert_eq!(due(&store).await, ["told", "later"]);
    let claim = store.claim(&session("told")).await.unwrap();
    summary.due_at = None;
    summary.taken = legwork_core::inbox::Cursor(1);
    claim.append(Seq(2), Batch::of(&entries(3..=3)).with_summary(&summary)).await.unwrap();
    assert_eq!(marks(&folder), ["later"]);
    store.remove(&[session("later")]).await.unwrap();
    assert_eq!(marks(&folder), Vec::<String>::new());
}

#[tokio::test]
async fn s8_9_what_a_crash_left_in_the_index_is_taken_away() {
    let folder = Folder::new();
    let store = folder.store();
    write(&store, &session("idle"), &[1..=2]).await;
    fs::write(folder.root().join("due").join("idle"), "").unwrap();
    assert_eq!(due(&store).await, Vec::<String>::new());
    assert_eq!(marks(&folder), Vec::<String>::new());
}

#[tokio::test]
async fn s8_9_an_index_that_is_missing_is_made_anew() {
    let folder = Folder::new();
    let store = folder.store();
    for name in ["idle", "told"] {
        write(&store, &session(name), &[1..=2]).await;
    }
    post(&store, "told").await;
    drop(store);
    fs::remove_dir_all(folder.root().join("due")).unwrap();
    let store = folder.store();
    assert_eq!(marks(&folder), ["told"]);
    assert_eq!(due(&store).await, ["told"]);
}

/// The head lacks the last append: nobody knows without the journal whether there is work.
#[tokio::test]
async fn s8_9_a_session_whose_process_died_before_it_wrote_the_head_is_due() {
    let folder = Folder::new();
    let store = folder.store();
    post(&store, "s").await;
    write(&store, &session("s"), &[1..=2]).await;
    let head = folder.session("s").join("head");
    let old = fs::read(&head).unwrap();
    let claim = store.claim(&session("s")).await.unwrap();
    let mut summary = Summary::default();
    summary.taken = legwork_core::inbox::Cursor(1);
    claim.append(Seq(2), Batch::of(&entries(3..=3)).with_summary(&summary)).await.unwrap();
    drop(claim);
    fs::write(&head, old).unwrap();
    fs::write(folder.root().join("due").join("s"), "").unwrap();
    assert_eq!(due(&store).await, ["s"]);
}

/// Killed at each write in turn, until it is through.
#[tokio::test]
async fn s8_9_a_new_session_of_a_killed_process_is_listed_and_due() {
    if Command::new("strace").arg("-V").output().is_err() {
        println!("skipped: there is no strace");
        return;
    }
    let mut behind = 0;
    for call in ["write", "pwrite64"] {
        for number in 1.. {
            let folder = Folder::new();
            let mut strace = Command::new("strace");
            strace.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e"]);
            strace.arg(format!("inject={call}:signal=KILL:when={number}"));
            strace.arg(std::env::current_exe().unwrap());
            let mut child = Child::start_by(strace, "begin", &folder.root());
            let is_through = child.next_line().is_some();
            child.kill();
            let store = folder.store();
            let listed = store.sessions(&Query::all()).await.unwrap().sessions;
            let journal = store.read(&session("s"), Range::ALL).await.unwrap().journal;
            if journal.version() == Seq(2) {
                assert_eq!(listed.len(), 1, "killed at {call} {number}");
                // Its head does not say yet what it is.
                if listed[0].summary == Summary::default() {
                    assert_eq!(due(&store).await, ["s"], "killed at {call} {number}");
                    behind += 1;
                }
            }
            if is_through {
                break;
            }
        }
    }
    assert!(behind > 0, "no kill came between the journal and the head");
    let folder = Folder::new();
    Child::start("begin", &folder.root()).ends();
    assert_eq!(marks(&folder), Vec::<String>::new());
}

#[tokio::test]
async fn s8_9_an_item_of_a_killed_process_makes_a_session_due() {
    let folder = Folder::new();
    let store = folder.store();
    write(&store, &session("s"), &[1..=2]).await;
    let mut child = Child::start("post", &folder.root());
    assert_eq!(child.next_line().unwrap(), "ready");
    child.go();
    assert_eq!(child.next_line().unwrap(), "done");
    child.kill();
    assert_eq!(due(&store).await, ["s"]);
}

//! What a list costs: the heads of sessions, and no journal.

use std::fs::{self, File};

use legwork_core::{ExecutionStatus, Seq, SessionId, Summary};
use legwork_port::Store as _;
use legwork_port::store::{Batch, Query};
use legwork_store::jsonl::Store;

use super::folder::Folder;
use crate::sample::{entries, session};

/// Makes sessions of two entries by copying one.
async fn fill(folder: &Folder, store: &Store, count: usize) {
    let claim = store.claim(&session("s0")).await.unwrap();
    let mut summary = Summary::default();
    summary.status = Some(ExecutionStatus::Completed);
    summary.title = "a task".to_owned();
    claim.append(Seq(0), Batch::of(&entries(1..=2)).with_summary(&summary)).await.unwrap();
    drop(claim);
    for number in 1..count {
        let path = folder.session(&format!("s{number}"));
        fs::create_dir(&path).unwrap();
        for file in ["head", "journal.jsonl"] {
            fs::copy(folder.session("s0").join(file), path.join(file)).unwrap();
        }
    }
}

async fn pages(store: &Store, limit: usize) -> Vec<SessionId> {
    let (mut query, mut all) = (Query::first(limit), Vec::new());
    loop {
        let page = store.sessions(&query).await.unwrap();
        let sound = |info: &legwork_port::store::SessionInfo| {
            info.entries == 2 && info.summary.title == "a task"
        };
        assert!(page.sessions.iter().all(sound), "{page:?}");
        all.extend(page.sessions.into_iter().map(|info| info.session));
        let Some(next) = page.next else { return all };
        query = query.after(next);
    }
}

#[tokio::test]
async fn s8_7_two_thousand_sessions_are_listed_in_pages() {
    let folder = Folder::in_memory();
    let store = folder.store();
    fill(&folder, &store, 2_000).await;
    let mut all = pages(&store, 500).await;
    assert_eq!(all, pages(&store, usize::MAX).await);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 2_000);
}

/// Bytes that this process has read by system calls; this test has the process to itself.
fn bytes_read() -> u64 {
    let io = fs::read_to_string("/proc/self/io").unwrap();
    let read = io.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
    read.parse().unwrap()
}

#[tokio::test]
async fn s8_7_a_list_reads_as_many_bytes_however_long_the_journals_are() {
    let folder = Folder::in_memory();
    let store = folder.store();
    fill(&folder, &store, 100).await;
    let mut read = Vec::new();
    for length in [100_000, 10_000_000] {
        for number in 0..100 {
            let journal = File::options().write(true).open(folder.journal(&format!("s{number}")));
            journal.unwrap().set_len(length).unwrap();
        }
        let before = bytes_read();
        assert_eq!(pages(&store, 10).await.len(), 100);
        read.push(bytes_read() - before);
    }
    // The count itself is read from a file, whose length varies by a few bytes.
    assert!(read[0].abs_diff(read[1]) < 1_000, "{read:?} bytes were read");
}

#[tokio::test]
async fn s8_4_a_damaged_head_hides_no_other_session() {
    let folder = Folder::new();
    let store = folder.store();
    fill(&folder, &store, 3).await;
    fs::write(folder.session("s1").join("head"), "rubbish").unwrap();
    fs::write(folder.journal("s1"), "rubbish").unwrap();
    fs::remove_file(folder.session("s2").join("head")).unwrap();
    fs::create_dir(folder.session("s2").join("head")).unwrap();
    fs::write(folder.root().join("sessions").join("Not a session"), "").unwrap();
    let listed = store.sessions(&Query::all()).await.unwrap().sessions;
    assert_eq!(listed.iter().map(|info| info.session.as_str()).collect::<Vec<_>>(), ["s0"]);
}

/// The head that a killed process did not write any more: lists catch up with the next claim.
#[tokio::test]
async fn s8_7_what_lists_say_follows_the_journal_after_a_crash() {
    let folder = Folder::new();
    let store = folder.store();
    let name = session("s");
    let claim = store.claim(&name).await.unwrap();
    let started = legwork_core::event::ExecutionStarted {
        input: vec![std::sync::Arc::new(legwork_core::Message::user("Count"))],
    };
    let mut state = legwork_core::AgentState::new(name.clone());
    state = state.with(legwork_core::Event::ExecutionStarted(started));
    let batch = state.uncommitted().to_shared();
    let old = fs::read(folder.session("s").join("head")).unwrap();
    claim.append(Seq(0), Batch::of(&batch).with_summary(state.summary())).await.unwrap();
    drop(claim);
    let listed = store.sessions(&Query::all()).await.unwrap().sessions;
    assert_eq!(listed[0].summary, **state.summary());
    fs::write(folder.session("s").join("head"), old).unwrap();
    // It is there, and nothing more is known of it yet.
    let behind = store.sessions(&Query::all()).await.unwrap().sessions;
    assert_eq!((behind.len(), &behind[0].summary), (1, &Summary::default()));
    drop(store.claim(&name).await.unwrap());
    assert_eq!(store.sessions(&Query::all()).await.unwrap().sessions, listed);
}

//! Several processes on one store.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::PathBuf;
use std::thread;

use futures_util::FutureExt as _;
use legwork_core::Fence;
use legwork_core::inbox::Cursor;
use legwork_port::Store as _;
use legwork_port::store::Error;
use legwork_store::sqlite::Store;

use super::folder::Folder;
use crate::child::Child;
use crate::sample::{append, numbers, session};

#[tokio::test]
async fn s8_3_a_claim_of_a_killed_process_is_taken_over_at_once() {
    let folder = Folder::new();
    let store = folder.store();
    let mut holder = Child::start("hold", &folder.db());
    let fence = Fence(holder.next_line().unwrap().parse().unwrap());

    let error = store.claim(&session("s")).await.err().unwrap();
    assert!(error.is_conflict());
    assert!(error.to_string().contains(&holder.id().to_string()), "{error}");
    assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3]);

    holder.kill();
    let claim = store.claim(&session("s")).await.unwrap();
    assert!(claim.fence() > fence);
    append(&*claim, 4..=5).await;
    assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn s8_3_a_claim_is_looked_at_without_being_taken() {
    let folder = Folder::new();
    let store = folder.store();
    assert_eq!(store.is_claimed(&session("s")).await.unwrap(), Some(false));
    let mut holder = Child::start("hold", &folder.db());
    holder.next_line().unwrap();
    assert_eq!(store.is_claimed(&session("s")).await.unwrap(), Some(true));
    assert_eq!(store.is_claimed(&session("other")).await.unwrap(), Some(false));
    holder.kill();
    // Its file is still there, and no process holds it.
    assert_eq!(store.is_claimed(&session("s")).await.unwrap(), Some(false));
    let claim = store.claim(&session("s")).await.unwrap();
    assert_eq!(store.is_claimed(&session("s")).await.unwrap(), Some(true));
    drop(claim);
    assert_eq!(store.is_claimed(&session("s")).await.unwrap(), Some(false));
}

/// Locks the file of the claim on session "s", which a process left that was killed: so it
/// is as long as a child of that process has its open files.
fn lock_of_the_dead(folder: &Folder) -> (PathBuf, File) {
    let mut left = fs::read_dir(folder.path().join("store.db-claims")).unwrap();
    let path = left.next().unwrap().unwrap().path();
    let file = File::open(&path).unwrap();
    file.lock().unwrap();
    (path, file)
}

/// Whether a thread of this process waits for a lock.
fn is_waited_for() -> bool {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    threads.flatten().any(|thread| {
        fs::read(thread.path().join("comm")).is_ok_and(|name| name.starts_with(b"legwork-store-l"))
    })
}

/// Claims session "s" while a file has its lock, which is given back once that was noticed.
fn claims_after(store: &Store, file: File) -> Result<(), Error> {
    let store = store.clone();
    let claiming = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async { store.claim(&session("s")).await.map(drop) })
    });
    while !is_waited_for() && !claiming.is_finished() {
        thread::yield_now();
    }
    drop(file);
    claiming.join().unwrap()
}

#[tokio::test]
async fn s8_3_a_lock_that_a_dead_process_left_to_a_child_is_waited_for() {
    let folder = Folder::new();
    let store = folder.store();
    let mut holder = Child::start("hold", &folder.db());
    holder.next_line().unwrap();
    holder.kill_to_zombie();
    for end in [None, Some(holder)] {
        let (path, file) = lock_of_the_dead(&folder);
        // Before and after its end was waited for.
        let _ = end.map(Child::kill);
        assert_eq!(store.is_claimed(&session("s")).await.unwrap(), Some(true));
        let id = fs::read(&path).unwrap();
        claims_after(&store, file).unwrap();
        // The file went away with the claim.
        fs::write(&path, id).unwrap();
    }
}

#[tokio::test]
async fn s8_3_the_thread_that_claims_goes_on_while_the_lock_of_the_dead_is_waited_for() {
    let folder = Folder::new();
    let store = folder.store();
    let mut holder = Child::start("hold", &folder.db());
    holder.next_line().unwrap();
    holder.kill();
    let (_, file) = lock_of_the_dead(&folder);
    let (name, other) = (session("s"), session("other"));
    let mut claiming = store.claim(&name);
    assert!((&mut claiming).now_or_never().is_none(), "the claim blocked its thread");
    store.claim(&other).await.unwrap();
    drop(file);
    claiming.await.unwrap();
}

#[tokio::test]
async fn s8_3_a_dropped_claim_takes_no_lock_of_the_dead() {
    let folder = Folder::new();
    let store = folder.store();
    let mut holder = Child::start("hold", &folder.db());
    holder.next_line().unwrap();
    holder.kill();
    let (_, file) = lock_of_the_dead(&folder);
    let name = session("s");
    assert!(store.claim(&name).now_or_never().is_none(), "the claim blocked its thread");
    drop(file);
    // The thread that waited for it may be about to look once more.
    while store.claim(&name).await.is_err() {
        thread::yield_now();
    }
}

#[tokio::test]
async fn s8_3_a_lock_that_is_never_released_is_a_conflict_in_the_end() {
    let folder = Folder::new();
    let store = folder.store();
    let mut holder = Child::start("hold", &folder.db());
    holder.next_line().unwrap();
    let id = holder.id().to_string();
    holder.kill();
    let (_, _locked) = lock_of_the_dead(&folder);
    let error = store.claim(&session("s")).await.err().unwrap();
    assert!(error.is_conflict() && error.to_string().contains(&id), "{error}");
}

#[test]
fn s8_3_of_two_processes_one_gets_a_conflict() {
    let folder = Folder::new();
    drop(folder.store());
    let mut children = [0, 1].map(|_| Child::start("claim", &folder.db()));
    for child in &mut children {
        assert_eq!(child.next_line().unwrap(), "ready");
    }
    children.iter_mut().for_each(Child::go);
    let lines: Vec<_> = children.iter_mut().map(|child| child.next_line().unwrap()).collect();
    let claimed = lines.iter().filter(|said| *said == "claimed").count();
    let refused = lines.iter().filter(|said| said.contains("session s is in use")).count();
    assert_eq!((claimed, refused), (1, 1), "{lines:?}");
    children.into_iter().for_each(Child::ends);
}

#[tokio::test]
async fn s8_2_posts_of_four_processes_are_all_there() {
    let folder = Folder::new();
    let store = folder.store();
    let mut children = [0; 4].map(|_| Child::start("post", &folder.db()));
    let ids = children.each_ref().map(Child::id);
    for child in &mut children {
        assert_eq!(child.next_line().unwrap(), "ready");
    }
    children.iter_mut().for_each(Child::go);
    for mut child in children {
        assert_eq!(child.next_line().unwrap(), "done");
        child.ends();
    }
    let posted = store.inbox(&session("s"), Cursor(0)).await.unwrap();
    let cursors: Vec<_> = posted.iter().map(|posted| posted.cursor.0).collect();
    assert_eq!(cursors, (1..=125).collect::<Vec<_>>());
    let keys: BTreeSet<_> = posted.into_iter().map(|posted| posted.key).collect();
    let own = ids.map(|id| id.to_string());
    let who = own.iter().map(String::as_str).chain(["shared"]);
    let wanted = who.flat_map(|who| (0..25).map(move |number| format!("{who} {number}")));
    assert_eq!(keys, wanted.collect());
}

#[tokio::test]
async fn processes_that_make_one_store_at_once_share_it() {
    for _ in 0..5 {
        let folder = Folder::new();
        let mut children = [0; 4].map(|_| Child::start("open", &folder.db()));
        for child in &mut children {
            assert_eq!(child.next_line().unwrap(), "ready");
        }
        children.iter_mut().for_each(Child::go);
        for mut child in children {
            assert_eq!(child.next_line().unwrap(), "opened");
            child.ends();
        }
        let posted = folder.store().inbox(&session("s"), Cursor(0)).await.unwrap();
        assert_eq!(posted.len(), 4);
    }
}

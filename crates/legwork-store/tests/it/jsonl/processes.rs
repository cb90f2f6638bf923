//! Several processes on one store.

use std::collections::BTreeSet;

use legwork_core::Fence;
use legwork_core::inbox::Cursor;
use legwork_port::Store as _;
use legwork_store::jsonl::Store;

use super::folder::Folder;
use crate::child::Child;
use crate::sample::{append, numbers, session};

#[tokio::test]
async fn s8_3_a_claim_of_a_killed_process_is_taken_over_at_once() {
    let folder = Folder::new();
    let store = folder.store();
    let mut holder = Child::start("hold", &folder.root());
    let fence = Fence(holder.next_line().unwrap().parse().unwrap());

    let error = store.claim(&session("s")).await.err().unwrap();
    assert!(error.is_conflict());
    assert!(error.to_string().contains(&holder.id().to_string()), "{error}");
    assert_eq!(store.is_claimed(&session("s")).await.unwrap(), Some(true));
    assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3]);

    holder.kill();
    assert_eq!(store.is_claimed(&session("s")).await.unwrap(), Some(false));
    let claim = store.claim(&session("s")).await.unwrap();
    assert!(claim.fence() > fence);
    append(&*claim, 4..=5).await;
    assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3, 4, 5]);
}

#[test]
fn s8_3_of_two_processes_one_gets_a_conflict() {
    let folder = Folder::new();
    drop(folder.store());
    let mut children = [0, 1].map(|_| Child::start("claim", &folder.root()));
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
    let mut children = [0; 4].map(|_| Child::start("post", &folder.root()));
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
async fn s8_2_items_are_posted_while_another_process_appends() {
    let folder = Folder::new();
    let store = folder.store();
    let mut child = Child::start("append", &folder.root());
    for number in 1..=30 {
        let item = legwork_core::inbox::Item::Stop("enough".into());
        let cursor = store.post(&session("s"), &number.to_string(), &item).await.unwrap();
        assert_eq!(cursor, Cursor(number));
        let durable: u64 = child.next_line().unwrap().parse().unwrap();
        let read = numbers(&store, &session("s")).await;
        assert!(read.len() as u64 >= durable && read.len() % 3 == 0, "{read:?} of {durable}");
    }
    child.kill();
}

#[tokio::test]
async fn processes_that_make_one_store_at_once_share_it() {
    for _ in 0..5 {
        let folder = Folder::new();
        let mut children = [0; 4].map(|_| Child::start("open", &folder.root()));
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

#[test]
fn threads_that_make_one_store_at_once_share_it() {
    let folder = Folder::in_memory();
    for number in 0..300 {
        let root = folder.path().join(number.to_string());
        let start = std::sync::Barrier::new(4);
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    start.wait();
                    Store::open(&root).unwrap();
                });
            }
        });
    }
}

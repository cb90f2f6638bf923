//! What the store in memory does beyond what every store does.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_core::inbox::{Cursor, Item};
use legwork_core::{Message, SessionId};
use legwork_port::Store;
use legwork_port::store::Error;

fn steer(text: &str) -> Item {
    Item::Steer(Arc::new(Message::user(text)))
}

async fn cursors(store: &MemoryStore, session: &SessionId, after: u64) -> Vec<u64> {
    let items = store.inbox(session, Cursor(after)).await.unwrap();
    items.iter().map(|posted| posted.cursor.0).collect()
}

#[tokio::test]
async fn s8_2_a_store_that_forgets_numbers_items_after_those_taken_up_and_believes_that_once() {
    let (store, session) = (MemoryStore::forgetful(), SessionId::new("s"));
    let claim = store.claim(&session).await.unwrap();
    for key in ["a", "b"] {
        store.post(&session, key, &steer(key)).await.unwrap();
    }
    assert_eq!(cursors(&store, &session, 3).await, [4, 5], "none was taken up yet");
    assert_eq!(store.post(&session, "c", &steer("c")).await.unwrap(), Cursor(6));
    assert_eq!(store.post(&session, "a", &steer("a")).await.unwrap(), Cursor(4), "known already");
    assert_eq!(cursors(&store, &session, 5).await, [6]);
    assert_eq!(cursors(&store, &session, 0).await, [4, 5, 6]);
    drop(claim);
    assert_eq!(cursors(&store, &session, 0).await, [0; 0], "forgotten");
    assert_eq!(store.post(&session, "d", &steer("d")).await.unwrap(), Cursor(1));

    // One that keeps sessions keeps their items as they are.
    let store = MemoryStore::new();
    store.post(&session, "a", &steer("a")).await.unwrap();
    assert_eq!(cursors(&store, &session, 3).await, [0; 0]);
    assert_eq!(cursors(&store, &session, 0).await, [1]);
    assert_eq!(cursors(&store, &session, 1).await, [0; 0]);
}

#[tokio::test]
async fn s8_3_each_claim_has_a_higher_fence_than_those_before_it() {
    let (store, session) = (MemoryStore::new(), SessionId::new("s"));
    let mut before = store.claim(&session).await.unwrap().fence();
    for _ in 0..3 {
        let fence = store.claim(&session).await.unwrap().fence();
        assert!(fence.0 > before.0, "{fence:?} after {before:?}");
        before = fence;
    }
}

#[tokio::test]
async fn s8_6_a_session_of_an_inbox_alone_can_be_removed_and_a_claim_alone_is_none() {
    let (store, session) = (MemoryStore::new(), SessionId::new("s"));
    let unknown = || async { store.remove(std::slice::from_ref(&session)).await.unwrap_err() };
    assert!(matches!(unknown().await, Error::Unknown { .. }));
    drop(store.claim(&session).await.unwrap());
    assert!(matches!(unknown().await, Error::Unknown { .. }));
    store.post(&session, "a", &steer("a")).await.unwrap();
    let claim = store.claim(&session).await.unwrap();
    assert!(unknown().await.is_conflict());
    drop(claim);
    store.remove(std::slice::from_ref(&session)).await.unwrap();
    assert!(matches!(unknown().await, Error::Unknown { .. }));
    assert!(store.sessions(9).await.unwrap().is_empty());
}

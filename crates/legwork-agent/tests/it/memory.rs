//! What the store in memory does beyond what every store does, and the clock of the system.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use legwork_agent::Agent;
use legwork_agent::memory::{MemoryStore, SystemClock};
use legwork_core::inbox::{Cursor, Item};
use legwork_core::{Message, Micros, SessionId};
use legwork_port::store::{Error, Query};
use legwork_port::{Clock as _, Store};
use legwork_testkit::{ScriptedModel, Turn};

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
    assert!(store.sessions(&Query::first(9)).await.unwrap().sessions.is_empty());
}

#[tokio::test]
async fn s8_4_lines_that_cannot_be_read_are_kept_behind_those_that_can_be() {
    let (store, session) = (MemoryStore::new(), SessionId::new("s"));
    let agent = Agent::builder(ScriptedModel::new([Turn::text("one")]));
    let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
    agent.run("go").in_session("s").await.unwrap();
    let lines = String::from_utf8(store.lines(&session).unwrap()).unwrap();
    let newer = lines.replacen(r#"{"text":{"text":"one"}}"#, r#"{"song":{"text":"one"}}"#, 1);
    assert_ne!(newer, lines);
    let other = MemoryStore::new();
    other.restore(&session, newer.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(other.lines(&session).unwrap()).unwrap(), newer);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the clock of the system is held against it")]
fn s1_8_the_clock_of_the_system_tells_its_time_and_goes_on() {
    let clock = SystemClock::default();
    let millis = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let (before, now, after) = (millis(), clock.now(), millis());
    assert!((before..=after).contains(&u128::from(now.wall.0)), "{now:?}");
    // A new one begins at zero; asked again and again, it does not stay there.
    assert!((0..1_000_000).any(|_| clock.mono() > Micros::ZERO));
}

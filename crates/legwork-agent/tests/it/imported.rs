//! Journals from outside of a store: all of them become sessions, or none.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, StoredSession};
use legwork_core::SessionId;
use legwork_core::journal::Journal;
use legwork_port::Store;
use legwork_port::store::{Query, Range};
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::{ScriptedModel, Turn};

/// The journals of two sessions that were run.
async fn journals() -> Vec<(SessionId, Journal)> {
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let agent = Agent::builder(model).store_in(store.clone()).build().unwrap();
    let mut journals = Vec::new();
    for id in ["s", "t"].map(SessionId::from) {
        agent.run("hello").in_session(id.clone()).await.unwrap();
        let journal = store.read(&id, Range::ALL).await.unwrap().journal;
        journals.push((id, journal));
    }
    journals
}

async fn listed(store: &dyn Store) -> usize {
    store.sessions(&Query::all()).await.unwrap().sessions.len()
}

#[tokio::test]
async fn s8_5_an_import_that_fails_leaves_nothing() {
    let journals = journals().await;
    // Each session is two appends: its entries, and its summary.
    for append in 1..=4 {
        for fault in [Fault::FailBefore, Fault::FailAfter, Fault::Lost] {
            let durable = Arc::new(MemoryStore::new());
            let store = FaultyStore::over(durable.clone()).fault(Operation::Append, append, fault);
            let failed = StoredSession::import(&store, &journals).await;
            assert!(failed.is_err(), "{append} {fault:?}");
            assert_eq!(listed(&*durable).await, 0, "{append} {fault:?}");
            StoredSession::import(&*durable, &journals).await.unwrap();
            for (id, journal) in &journals {
                let there = durable.read(id, Range::ALL).await.unwrap().journal;
                assert_eq!(there, *journal);
            }
        }
    }
}

#[tokio::test]
async fn s8_5_an_import_writes_nothing_if_one_session_is_there_or_in_use() {
    let journals = journals().await;
    let store = MemoryStore::new();
    let claim = store.claim(&"t".into()).await.unwrap();
    let held = StoredSession::import(&store, &journals).await.unwrap_err();
    assert!(held.to_string().contains('t') && listed(&store).await == 0, "{held}");
    claim.release().await.unwrap();
    StoredSession::import(&store, &journals[1..]).await.unwrap();
    let exists = StoredSession::import(&store, &journals).await.unwrap_err();
    assert!(exists.to_string().contains("there is a session t already"), "{exists}");
    assert_eq!(listed(&store).await, 1);
    StoredSession::import(&store, &journals[..1]).await.unwrap();
    let session = Arc::new(store);
    let state = StoredSession::new(session, "s").state().await.unwrap();
    assert_eq!(state.summary().title, "hello");
}

//! Journals from outside of a store: all of them become sessions, or none.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, StoredSession};
use legwork_core::event::ParentLink;
use legwork_core::journal::Journal;
use legwork_core::{Budget, EffectClass, Event, SessionId, Timestamp};
use legwork_port::Store;
use legwork_port::store::{DueQuery, Query, Range};
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, noting};

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
    // Each session is one append.
    for append in 1..=2 {
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
    let other = ("t".into(), journals[0].1.clone());
    StoredSession::import(&store, &[other]).await.unwrap();
    let exists = StoredSession::import(&store, &journals).await.unwrap_err();
    assert!(exists.to_string().contains("there is a session t already"), "{exists}");
    assert_eq!(listed(&store).await, 1);
    StoredSession::import(&store, &journals[..1]).await.unwrap();
    let exists = StoredSession::import(&store, &journals[..1]).await.unwrap_err();
    assert!(exists.to_string().contains("there is a session s already"), "{exists}");
    let session = Arc::new(store);
    let state = StoredSession::new(session, "s").state().await.unwrap();
    assert_eq!(state.summary().title, "hello");
}

/// The journal of a session that works for another one.
fn below(journal: &Journal, session: &str, parent: &str) -> (SessionId, Journal) {
    let mut entries = journal.entries().to_vec();
    let first = Arc::make_mut(&mut entries[0]);
    let Event::SessionStarted(started) = &mut first.event else { panic!("{first:?}") };
    started.session = session.into();
    started.parent =
        Some(ParentLink { session: parent.into(), call: "c".into(), began: Timestamp(1) });
    (session.into(), Journal::new(entries))
}

#[tokio::test]
async fn s8_5_an_import_that_was_killed_goes_on_and_no_parent_was_there_without_its_children() {
    let all = journals().await;
    let tree =
        [all[0].clone(), below(&all[1].1, "child", "s"), below(&all[1].1, "grandchild", "child")];
    for append in 1..=3 {
        let durable = Arc::new(MemoryStore::new());
        // It cannot take back what it wrote, as if it had been killed.
        let mut store =
            FaultyStore::over(durable.clone()).fault(Operation::Append, append, Fault::FailBefore);
        for removal in 1..=3 {
            store = store.fault(Operation::Remove, removal, Fault::FailBefore);
        }
        StoredSession::import(&store, &tree).await.unwrap_err();
        let page = durable.sessions(&Query::all()).await.unwrap();
        let there: BTreeSet<_> =
            page.sessions.iter().map(|info| info.session.as_str().to_owned()).collect();
        let order = ["grandchild", "child", "s"];
        let expected = order[..append - 1].iter().map(|id| (*id).to_owned()).collect();
        assert_eq!(there, expected);
        StoredSession::import(&*durable, &tree).await.unwrap();
        assert_eq!(listed(&*durable).await, 3);
    }
}

#[tokio::test]
async fn s8_5_sessions_that_are_their_own_parents_are_not_imported() {
    let all = journals().await;
    let store = MemoryStore::new();
    let circles = [
        vec![below(&all[0].1, "a", "a")],
        vec![below(&all[0].1, "a", "b"), below(&all[1].1, "b", "a"), all[0].clone()],
    ];
    for circle in circles {
        let refused = StoredSession::import(&store, &circle).await.unwrap_err();
        assert!(refused.to_string().contains("is its own parent"), "{refused}");
        assert_eq!(listed(&store).await, 0);
    }
}

#[tokio::test]
async fn s8_5_a_copy_is_whole_or_not_there() {
    let source: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let turns = (0..400).map(|number| match number {
        399 => Turn::text("done"),
        _ => Turn::call("look", json!({})),
    });
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    let builder = Agent::builder(ScriptedModel::new(turns.collect::<Vec<_>>())).tools([look]);
    let builder = builder.budget(Budget::unlimited().steps(1_000));
    let agent = builder.store_in(source.clone()).build().unwrap();
    agent.run("hello").in_session("s").await.unwrap();
    let whole = source.read(&"s".into(), Range::ALL).await.unwrap().journal;
    assert!(whole.entries().len() > 1_500);
    for fault in [Fault::FailBefore, Fault::FailAfter, Fault::Lost] {
        let durable = Arc::new(MemoryStore::new());
        let store = FaultyStore::over(durable.clone()).fault(Operation::Append, 1, fault);
        let stored = StoredSession::new(source.clone(), "s");
        assert!(stored.copy_to(&store).await.is_err(), "{fault:?}");
        let there = durable.read(&"s".into(), Range::ALL).await.unwrap().journal;
        assert!(there == Journal::default() || there == whole, "{fault:?}");
        assert!(durable.due(&DueQuery::at(Timestamp(u64::MAX))).await.unwrap().sessions.is_empty());
        stored.copy_to(&*durable).await.unwrap();
        assert_eq!(durable.read(&"s".into(), Range::ALL).await.unwrap().journal, whole);
    }
}

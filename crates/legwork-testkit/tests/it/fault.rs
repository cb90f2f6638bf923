//! Stores in which operations go wrong.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Error};
use legwork_core::inbox::{Cursor, Item};
use legwork_core::{Seq, SessionId};
use legwork_port::store::Range;
use legwork_port::{Store, store};
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::{ScriptedModel, Turn, conformance, polls};

fn agent(store: Arc<dyn Store>) -> Agent {
    Agent::builder(ScriptedModel::new([Turn::text("hi")])).store_in(store).build().unwrap()
}

/// A run that meets a fault, and how many entries are durable then.
async fn met(operation: Operation, nth: usize, fault: Fault) -> (Result<(), Error>, u64) {
    let durable = Arc::new(MemoryStore::new());
    let store = FaultyStore::over(Arc::<MemoryStore>::clone(&durable)).fault(operation, nth, fault);
    let run = agent(Arc::new(store)).run("hello").in_session("s").await;
    let Seq(version) =
        durable.read(&SessionId::new("s"), Range::ALL).await.unwrap().journal.version();
    (run.map(drop), version)
}

#[tokio::test]
async fn an_operation_fails_before_or_after_it_is_done() {
    let (plain, whole) = met(Operation::Append, 9, Fault::FailBefore).await;
    plain.unwrap();
    let (failed, before) = met(Operation::Append, 2, Fault::FailBefore).await;
    assert!(
        matches!(failed.as_ref().unwrap_err().as_store(), Some(store::Error::Failed { .. })),
        "{failed:?}"
    );
    let (failed, after) = met(Operation::Append, 2, Fault::FailAfter).await;
    assert!(
        matches!(failed.as_ref().unwrap_err().as_store(), Some(store::Error::Failed { .. })),
        "{failed:?}"
    );
    assert!(before < after && after == whole, "{before} {after} {whole}");
    let (refused, none) = met(Operation::Claim, 1, Fault::Conflict).await;
    assert!(refused.unwrap_err().is_conflict());
    assert_eq!(none, 0);
}

#[tokio::test]
async fn a_slow_operation_lets_others_have_their_turns() {
    let store = FaultyStore::over(Arc::new(MemoryStore::new()));
    let store = store.fault(Operation::Read, 2, Fault::Slow(3));
    let session = SessionId::new("s");
    assert!(polls::at_most(1, store.read(&session, Range::ALL)).await.is_some());
    assert!(polls::at_most(3, store.read(&session, Range::ALL)).await.is_none());
    assert!(polls::at_most(1, store.read(&session, Range::ALL)).await.is_some());
    assert_eq!((store.count(Operation::Read), store.count(Operation::Append)), (3, 0));
}

#[tokio::test]
async fn a_slow_operation_was_done_before_or_is_done_after_others_had_their_turns() {
    for (fault, done) in [(Fault::Slow(3), 0), (Fault::SlowAfter(3), 1)] {
        let durable = Arc::new(MemoryStore::new());
        let store = FaultyStore::over(Arc::<MemoryStore>::clone(&durable));
        let store = store.fault(Operation::Post, 1, fault).fault(Operation::Post, 2, fault);
        let (session, item) = (SessionId::new("s"), Item::Stop("enough".to_owned()));
        assert!(polls::at_most(3, store.post(&session, "key", &item)).await.is_none());
        let there = durable.inbox(&session, Cursor::default()).await.unwrap().len();
        assert_eq!(there, done, "{fault:?}");
        assert_eq!(store.post(&session, "key", &item).await.unwrap(), Cursor(1), "{fault:?}");
    }
}

#[tokio::test]
async fn an_operation_that_hangs_says_so() {
    for fault in [Fault::HangBefore, Fault::HangAfter] {
        let store = FaultyStore::over(Arc::new(MemoryStore::new()));
        let store = store.fault(Operation::Append, 1, fault);
        let agent = agent(Arc::new(store.clone()));
        let run = agent.run("hello");
        tokio::select! {
            _ = run => panic!("it hangs"),
            () = store.hung().cancelled() => {}
        }
    }
}

#[tokio::test]
async fn without_faults_it_is_a_store_like_any_other() {
    let make = async || FaultyStore::over(Arc::new(MemoryStore::new())).paced([0, 2]);
    conformance::store::check(make).await.unwrap();
}

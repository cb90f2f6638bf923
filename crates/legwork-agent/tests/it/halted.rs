//! Runs that are halted for what cannot be journaled: the error has the run.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Error, HaltReason};
use legwork_core::{EffectClass, ExecutionStatus};
use legwork_port::store;
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, noting};

/// An agent with one call that counts, on a store in which the nth append goes wrong.
fn agent(fault: Fault, nth: usize) -> (Agent, FaultyStore, World) {
    let store =
        FaultyStore::over(Arc::new(MemoryStore::new())).fault(Operation::Append, nth, fault);
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let world = World::default();
    let look = noting("look", EffectClass::ReadOnly, &world);
    let agent = Agent::builder(model).tools([look]).store_in(Arc::new(store.clone()));
    (agent.build().unwrap(), store, world)
}

#[tokio::test]
async fn s12_1_a_store_that_fails_loses_neither_session_nor_run() {
    let (agent, ..) = agent(Fault::FailBefore, 2);
    let error = agent.run("go").await.unwrap_err();
    assert!(matches!(error.as_store(), Some(store::Error::Failed { .. })), "{error:?}");
    let run = error.run().unwrap();
    assert!(error.to_string().starts_with(&format!("session {}: ", run.session())), "{error}");
    assert_eq!(run.status(), ExecutionStatus::InProgress);
    // So it goes on, although nobody had named its session.
    assert_eq!(agent.resume(run.session().clone()).await.unwrap().text(), "done");
}

#[tokio::test]
async fn s12_1_a_claim_that_is_lost_loses_neither_session_nor_run() {
    let (agent, ..) = agent(Fault::Lost, 2);
    let error = agent.run("go").await.unwrap_err();
    assert!(error.is_conflict(), "{error:?}");
    assert_eq!(error.run().unwrap().status(), ExecutionStatus::InProgress);
}

#[tokio::test]
async fn s12_1_a_store_that_panics_halts_the_run() {
    for nth in 1..=3 {
        let (agent, _, world) = agent(Fault::Panic, nth);
        let mut run = agent.iterate("go").await.unwrap();
        let error = loop {
            match run.next().await {
                Ok(Some(_)) => {}
                Ok(None) => unreachable!("append {nth} panics"),
                Err(error) => break error,
            }
        };
        assert!(matches!(error.halted(), Some(HaltReason::Store(_))), "{error:?}");
        assert!(error.to_string().contains("the store panicked: the disk is on fire"), "{error}");
        // The append that panicked is not polled again.
        let session = run.state().session().clone();
        assert_eq!(run.next().await.unwrap(), None);
        run.release().await;
        let more = match agent.resume(session.clone()).await {
            Err(Error::UnknownSession(_)) => agent.run("go").in_session(session).await,
            resumed => resumed,
        };
        assert_eq!(more.unwrap().text(), "done", "after append {nth}");
        // The third append holds what came of the call: without it the call runs again.
        assert_eq!(world.count("look 1"), if nth == 3 { 2 } else { 1 }, "append {nth}");
    }
}

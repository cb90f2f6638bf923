//! What is said to a session while its store has a bad moment.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Delivery, Error, Session};
use legwork_core::SessionId;
use legwork_core::inbox::Cursor;
use legwork_port::Store;
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::{ScriptedModel, Turn};

use crate::tools::said;

/// What became of steering a session whose claims go wrong as said, and its inbox after it.
async fn steered(faults: &[(usize, Fault)]) -> (Result<Delivery, Error>, Vec<u64>) {
    let durable = MemoryStore::new();
    let store = FaultyStore::over(Arc::new(durable.clone()));
    // The first claim is that of the run.
    let store = faults
        .iter()
        .fold(store, |store, (nth, fault)| store.fault(Operation::Claim, nth + 1, *fault));
    let model = ScriptedModel::new([Turn::text("done")]);
    let agent = Agent::builder(model).store_in(Arc::new(store)).build().unwrap();
    let session: Session = agent.session("s");
    session.run("go").await.unwrap();
    let delivery = session.steer("look left").await;
    let left = durable.inbox(&SessionId::from("s"), Cursor::default()).await.unwrap();
    (delivery, left.iter().map(|posted| posted.cursor.0).collect())
}

#[tokio::test]
async fn s8_2_what_is_said_is_taken_up_although_the_claim_was_held_for_a_moment() {
    let moments: [&[(usize, Fault)]; 2] = [&[], &[(1, Fault::Conflict)]];
    for faults in moments {
        let (delivery, posted) = steered(faults).await;
        let state = delivery.unwrap().into_state().unwrap();
        assert_eq!(said(&state).last().unwrap(), "look left");
        assert_eq!(posted, [1], "once");
    }
}

#[tokio::test]
async fn s8_2_what_is_said_waits_while_the_claim_is_held() {
    let (delivery, posted) = steered(&[(1, Fault::Conflict), (2, Fault::Conflict)]).await;
    let delivery = delivery.unwrap();
    assert!(matches!(delivery, Delivery::Waiting(Cursor(1))), "{delivery:?}");
    assert!(delivery.into_state().is_none());
    assert_eq!(posted, [1]);
}

#[tokio::test]
async fn s8_2_a_store_that_fails_to_give_a_claim_is_an_error_and_nothing_is_left() {
    let (delivery, posted) = steered(&[(1, Fault::FailBefore)]).await;
    assert!(matches!(delivery, Err(Error::Store(_))), "{delivery:?}");
    assert!(posted.is_empty());
}

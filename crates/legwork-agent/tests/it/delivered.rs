//! What is said to a session while its store has a bad moment.

use std::sync::Arc;

use futures_util::future::FutureExt as _;
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Delivery, Error, Session};
use legwork_core::SessionId;
use legwork_core::inbox::Cursor;
use legwork_core::state::Refusal;
use legwork_port::Store;
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::{ScriptedModel, Turn};

use crate::meddled::{Meddled, Meddler};
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

/// Another process, that takes up what is left for the session while nobody runs it.
struct Other(Agent);

impl Meddler for Other {
    fn posted(&self) {
        let resumed = self.0.resume("s").into_future().now_or_never().unwrap();
        assert!(matches!(resumed, Err(Error::Refused(_))), "there is nothing to do");
    }
}

#[tokio::test]
async fn s8_2_what_somebody_else_took_up_and_refused_is_refused_for_the_one_who_said_it() {
    let durable = MemoryStore::new();
    let agent = |store: Arc<dyn Store>| {
        let model = ScriptedModel::new([Turn::text("done")]);
        Agent::builder(model).store_in(store).build().unwrap()
    };
    let other = agent(Arc::new(durable.clone()));
    let meddled = Meddled::by(Arc::new(Other(other)), &durable);
    // The first claim is that of the run; whoever holds the session then gives it back soon.
    let store = FaultyStore::over(Arc::new(meddled)).fault(Operation::Claim, 2, Fault::Conflict);
    let session = agent(Arc::new(store)).session("s");
    session.run("go").await.unwrap();
    let refused = session.stop("too late").await.unwrap_err();
    let Error::Refused(Refusal::RefusedBefore { reason }) = &refused else { panic!("{refused:?}") };
    assert!(reason.contains("nothing to stop"), "{reason}");
}

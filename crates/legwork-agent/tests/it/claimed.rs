//! The claim of a run: renewed while it works, given back at its end.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, hook};
use legwork_core::inbox::Item;
use legwork_core::{Budget, EffectClass, ExecutionStatus, Message, ToolOutcome};
use legwork_port::store::Range;
use legwork_port::toolset::CLOSE_LIMIT;
use legwork_port::{Clock as _, EventKind, Observer, RunEvent, Store, Trigger};
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::sets::Set;
use crate::tools::{World, made, noting, said, spec};

const EVERY: Duration = Duration::from_secs(10);

/// The warnings that observers were told.
#[derive(Default)]
pub(crate) struct Warnings(pub(crate) Mutex<Vec<String>>);

impl Observer for Warnings {
    fn observe(&self, event: &RunEvent) {
        if let EventKind::Warning { message } = &event.kind {
            self.0.lock().unwrap().push(message.clone());
        }
    }
}

/// An agent with one call that takes 35 seconds.
fn slow(store: &FaultyStore) -> Builder {
    let clock = VirtualClock::auto();
    let sleeps = clock.clone();
    let slow = made(spec("slow").effect(EffectClass::ReadOnly), move |_, _| {
        let slept = sleeps.sleep(Duration::from_secs(35));
        Box::pin(async {
            slept.await;
            ToolOutcome::text("done")
        })
    });
    let turns = [Turn::call("slow", json!({"n": 1})), Turn::text("done")];
    Agent::builder(ScriptedModel::new(turns))
        .tools([slow])
        .clock(Arc::new(clock))
        .store_in(Arc::new(store.clone()))
}

fn leased() -> FaultyStore {
    FaultyStore::over(Arc::new(MemoryStore::new())).renewed_every(EVERY)
}

#[tokio::test]
async fn s8_3_a_run_renews_its_claim_as_often_as_its_store_asks() {
    let store = leased();
    let run = slow(&store).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(store.count(Operation::Renew), 3);
    assert_eq!(store.count(Operation::Release), 1);
}

#[tokio::test]
async fn s8_3_a_claim_without_a_lease_is_not_renewed() {
    let store = FaultyStore::over(Arc::new(MemoryStore::new()));
    slow(&store).build().unwrap().run("go").await.unwrap();
    assert_eq!(store.count(Operation::Renew), 0);
}

#[tokio::test]
async fn s8_3_time_between_two_steps_counts_for_the_next_renewal() {
    let (store, clock) = (leased(), VirtualClock::new());
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    let agent = Agent::builder(model).tools([look]).clock(Arc::new(clock.clone()));
    let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
    let mut run = agent.iterate("go").await.unwrap();
    clock.advance(EVERY / 2);
    run.next().await.unwrap().unwrap();
    assert_eq!(store.count(Operation::Renew), 0);
    clock.advance(EVERY);
    run.next().await.unwrap().unwrap();
    assert_eq!(store.count(Operation::Renew), 1);
}

#[tokio::test]
async fn s8_3_a_caller_that_holds_a_state_between_two_steps_renews_the_claim() {
    let store = leased();
    let run = slow(&store).build().unwrap().iterate("go").await.unwrap();
    run.renew().await.unwrap();
    assert_eq!(store.count(Operation::Renew), 1);
    let lost = leased().fault(Operation::Renew, 1, Fault::Lost);
    let mut run = slow(&lost).build().unwrap().iterate("go").await.unwrap();
    let error = run.renew().await.unwrap_err();
    assert!(error.is_conflict() && error.run().is_some(), "{error:?}");
    // Then nothing more is done under it.
    let lost = lost.fault(Operation::Renew, 2, Fault::Lost);
    assert!(run.next().await.unwrap_err().is_conflict());
    assert_eq!(lost.count(Operation::Append), 0);
    // Where a claim lasts, there is nothing to renew.
    let lasting = FaultyStore::over(Arc::new(MemoryStore::new()));
    let run = slow(&lasting).build().unwrap().iterate("go").await.unwrap();
    run.renew().await.unwrap();
    assert_eq!(lasting.count(Operation::Renew), 0);
}

#[tokio::test]
async fn s8_3_a_claim_is_renewed_while_toolsets_open_and_close() {
    let (store, clock) = (leased(), VirtualClock::auto());
    let opens = clock.clone();
    let set = Set::new("far").opening(move |_| {
        let slept = opens.sleep(EVERY * 5 / 2);
        Box::pin(async {
            slept.await;
            Ok(())
        })
    });
    let model = ScriptedModel::new([Turn::text("done"), Turn::text("again")]);
    let agent = Agent::builder(model).toolset(set.never_closing()).clock(Arc::new(clock));
    let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
    let mut run = agent.iterate("go").await.unwrap();
    assert_eq!(store.count(Operation::Renew), 2, "while it opened");
    while run.next().await.unwrap().is_some() {}
    let closed = store.count(Operation::Renew);
    assert_eq!((closed, CLOSE_LIMIT), (3, EVERY), "while it closed");
    run.set(run.state().clone().with_metadata("more", Some(json!(true)))).unwrap();
    run.next().await.unwrap();
    assert_eq!(store.count(Operation::Renew), closed + 4, "while it opened again");
}

#[tokio::test]
async fn s8_3_a_run_ends_when_its_claim_was_lost() {
    let store = leased().fault(Operation::Renew, 2, Fault::Conflict);
    let error = slow(&store).build().unwrap().run("go").in_session("s").await.unwrap_err();
    assert!(error.is_conflict(), "{error:?}");
    // The call was cut off: what would have come of it is in no journal.
    let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
    let state = journal.fold(&"s".into());
    assert_eq!(state.status(), Some(&ExecutionStatus::InProgress));
    assert_eq!(store.count(Operation::Renew), 2);
}

#[tokio::test]
async fn s12_1_a_claim_that_is_lost_beside_its_store_leaves_the_run() {
    let store = leased().fault(Operation::Renew, 2, Fault::Lost);
    let store = store.fault(Operation::Read, 2, Fault::FailBefore);
    let error = slow(&store).build().unwrap().run("go").in_session("s").await.unwrap_err();
    let run = error.run().unwrap();
    assert_eq!(run.session().as_str(), "s");
    assert_eq!(run.status(), ExecutionStatus::InProgress);
    assert_eq!(said(run.state()), ["go"], "{error:?}");
}

#[tokio::test]
async fn s8_3_a_renewal_that_fails_is_told_and_tried_again() {
    let store = leased().fault(Operation::Renew, 2, Fault::FailBefore);
    let observer = Arc::new(Warnings::default());
    let agent = slow(&store).build().unwrap();
    let run = agent.run("go").observer(observer.clone()).await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(store.count(Operation::Renew), 3);
    assert_eq!(observer.0.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn s8_3_a_claim_that_is_not_given_back_is_told_and_the_run_stands() {
    let store = FaultyStore::over(Arc::new(MemoryStore::new()));
    let store = store.fault(Operation::Release, 1, Fault::FailBefore);
    let observer = Arc::new(Warnings::default());
    let agent = slow(&store).build().unwrap();
    let run = agent.run("go").observer(observer.clone()).await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(observer.0.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn s8_3_whoever_claims_a_session_gives_it_back() {
    let store = FaultyStore::over(Arc::new(MemoryStore::new()));
    let agent = slow(&store).build().unwrap();
    agent.run("go").in_session("s").await.unwrap();
    let session = agent.session("s");
    session.steer("a word").await.unwrap();
    assert!(agent.resume("nobody").await.is_err());
    assert!(agent.session("nobody").stop("enough").await.is_err());
    let run = agent.run("more").in_session("s").open().await.unwrap();
    run.release().await;
    assert_eq!(store.count(Operation::Claim), store.count(Operation::Release));
    assert!(store.count(Operation::Claim) >= 5);
}

/// How often the inbox is read in a run of so many calls.
async fn inbox_reads(calls: usize) -> usize {
    let store = FaultyStore::over(Arc::new(MemoryStore::new()));
    let mut turns = vec![Turn::call("look", json!({"n": 1})); calls];
    turns.push(Turn::text("done"));
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    let agent = Agent::builder(ScriptedModel::new(turns)).tools([look]);
    let agent = agent.budget(Budget::unlimited()).store_in(Arc::new(store.clone()));
    agent.build().unwrap().run("go").await.unwrap();
    store.count(Operation::Inbox)
}

#[tokio::test]
async fn s8_2_appends_tell_of_the_inbox_so_that_no_step_asks_for_it() {
    assert_eq!(inbox_reads(2).await, inbox_reads(20).await);
}

#[tokio::test]
async fn s8_2_an_item_that_comes_while_a_step_begins_is_heard_in_that_step() {
    let store = Arc::new(MemoryStore::new());
    let (hooked, world) = (Arc::clone(&store), World::default());
    let noted = world.clone();
    let hook = hook("posts", [Trigger::BeforeInference], move |state, _| {
        let store = Arc::clone(&hooked);
        let item = Item::Steer(Arc::new(Message::user("by the way")));
        async move {
            if state.step_results().count() == 1 {
                store.post(state.session(), "once", &item).await.unwrap();
            }
            Ok(state)
        }
    });
    let begins = legwork_agent::hook("notes", [Trigger::StepStart], move |state, _| {
        noted.note("step");
        std::future::ready(Ok(state))
    });
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let look = noting("look", EffectClass::ReadOnly, &world);
    let agent = Agent::builder(model.clone()).tools([look]).hook(hook).hook(begins);
    let agent = agent.store_in(store).build().unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    let asked = model.asked();
    assert_eq!((asked.len(), asked[1].last()), (2, "by the way"));
    // The step begins once for hooks, and is counted once.
    assert_eq!(world.count("step"), 2);
    assert_eq!(run.state().used().steps, 2);
}

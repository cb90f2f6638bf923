//! What is left when a run gives its claim back: nothing that was said is forgotten.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join;
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Error, hook};
use legwork_core::{EffectClass, Entry, Event, ExecutionStatus, Seq, ToolOutcome};
use legwork_port::store::Range;
use legwork_port::{Cancellation, Clock as _, EventKind, RunEvent, Store, Trigger};
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::tools::{World, made, noting, spec};

fn two() -> ScriptedModel {
    ScriptedModel::new([Turn::text("one"), Turn::text("two")])
}

#[tokio::test]
async fn s8_2_what_is_said_while_hooks_see_the_stop_is_taken_up() {
    for (trigger, inferences) in [(Trigger::BeforeStop, 2), (Trigger::ExecutionEnd, 1)] {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let other = Agent::builder(two()).store_in(Arc::clone(&store)).build().unwrap();
        let said = World::default();
        let speaks = hook("speaks", [trigger], move |state, _cx| {
            let (session, said) = (other.session("s"), said.clone());
            async move {
                if said.notes().is_empty() {
                    said.note("said");
                    session.follow_up("and then?").await.unwrap();
                }
                Ok(state)
            }
        });
        let model = two();
        let agent = Agent::builder(model.clone())
            .hook(speaks)
            .store_in(Arc::clone(&store))
            .build()
            .unwrap();
        let run = agent.run("go").in_session("s").await.unwrap();
        assert_eq!(model.asked().len(), inferences, "{trigger:?}");
        // Hooks saw the end: the message is queued for the next run, and no longer in the inbox.
        let queued = run.state().facts().follow_ups.len();
        assert_eq!(queued, 2 - inferences, "{trigger:?}");
        let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
        let cursor = journal.fold(&"s".into()).facts().inbox_cursor;
        assert!(store.inbox(&"s".into(), cursor).await.unwrap().is_empty(), "{trigger:?}");
    }
}

#[tokio::test]
async fn s4_3_a_release_waits_for_an_append_that_a_dropped_step_left() {
    let store = FaultyStore::over(Arc::new(MemoryStore::new()));
    let store = store.fault(Operation::Append, 1, Fault::SlowAfter(5));
    let agent = Agent::builder(two()).store_in(Arc::new(store.clone())).build().unwrap();
    let mut run = agent.run("go").in_session("s").open().await.unwrap();
    assert!(run.next().now_or_never().is_none(), "the append is slow");
    let run = run.release().await;
    let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
    assert_ne!(journal.version(), Seq::ZERO);
    assert_eq!(run.state().version(), journal.version());
    assert!(run.state().uncommitted().is_empty());
}

#[tokio::test]
async fn s8_3_the_end_of_a_run_that_lost_its_claim_is_as_the_journal_has_it() {
    let store = FaultyStore::over(Arc::new(MemoryStore::new()));
    let store =
        store.renewed_every(Duration::from_secs(10)).fault(Operation::Renew, 1, Fault::Conflict);
    let clock = VirtualClock::auto();
    let sleeps = clock.clone();
    let slow = made(spec("slow").effect(EffectClass::ReadOnly), move |_, _| {
        let slept = sleeps.sleep(Duration::from_secs(35));
        Box::pin(async {
            slept.await;
            ToolOutcome::text("done")
        })
    });
    let model = ScriptedModel::new([Turn::call("slow", json!({"n": 1})), Turn::text("done")]);
    let agent = Agent::builder(model)
        .tools([slow])
        .clock(Arc::new(clock))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let mut events = agent.run("go").in_session("s").stream();
    let mut next = None;
    while let Some(event) = events.next().await {
        if let EventKind::ExecutionInterrupted(end) = event.kind {
            next = Some(serde_json::to_value(&end.next).unwrap());
        }
    }
    assert!(events.finish().await.unwrap_err().to_string().contains("s"));
    let next = next.expect("observers are notified of the end");
    assert_eq!(next["action"], "resume", "{next}");
}

#[tokio::test]
async fn s8_3_a_run_waits_for_a_delivery_of_its_process() {
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new(vec![Turn::text("done"); 60]);
    let agent = Agent::builder(model).store_in(store).build().unwrap();
    agent.run("go").in_session("s").await.unwrap();
    let session = agent.session("s");
    for _ in 0..20 {
        let (steered, run) = join(session.steer("a word"), session.run("more")).await;
        steered.unwrap();
        run.unwrap();
    }
}

#[tokio::test]
async fn a_run_is_not_asked_for_in_one_session_with_the_state_of_another() {
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::builder(two()).store_in(store.clone()).build().unwrap();
    let state = agent.run("go").in_session("b").await.unwrap().into_state();
    let asked = [
        agent.run("more").on_state(state.clone()).in_session("a"),
        agent.run("more").in_session("a").on_state(state.clone()),
    ];
    for run in asked {
        let error = run.await.unwrap_err();
        assert!(matches!(error, Error::OtherSession { .. }), "{error}");
    }
    assert_eq!(store.read(&"a".into(), Range::ALL).await.unwrap().journal.version(), Seq::ZERO);
    let same = agent.run("more").on_state(state).in_session("b").await.unwrap();
    assert_eq!(same.status(), ExecutionStatus::Completed);
}

#[tokio::test]
async fn s6_6_the_token_of_a_call_is_raised_however_the_call_ends() {
    let token = Arc::new(std::sync::Mutex::new(None::<Cancellation>));
    let kept = Arc::clone(&token);
    let look = made(spec("look").effect(EffectClass::ReadOnly), move |_, cx| {
        *kept.lock().unwrap() = Some(cx.cancellation.clone());
        Box::pin(std::future::ready(ToolOutcome::text("done")))
    });
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let agent = Agent::builder(model).tools([look]).build().unwrap();
    agent.run("go").await.unwrap();
    assert!(token.lock().unwrap().as_ref().unwrap().is_cancelled());
}

#[tokio::test]
async fn s6_5_calls_go_on_while_the_outcome_of_another_is_committed() {
    let world = World::default();
    let store = FaultyStore::over(Arc::new(MemoryStore::new()));
    // The third append is that of the outcome of the call that happens once.
    let store = store.fault(Operation::Append, 3, Fault::SlowAfter(50));
    let (noted, slow) = (world.clone(), store.clone());
    let yields = made(spec("yields").effect(EffectClass::ReadOnly), move |_, _| {
        let (world, store) = (noted.clone(), slow.clone());
        Box::pin(async move {
            while store.count(Operation::Append) < 3 {
                tokio::task::yield_now().await;
            }
            world.note("went on");
            ToolOutcome::text("done")
        })
    });
    let once = noting("once", EffectClass::default(), &world);
    let both = [("yields", json!({"n": 1})), ("once", json!({"n": 2}))];
    let model = ScriptedModel::new([Turn::calls(both), Turn::text("done")]);
    let agent = Agent::builder(model)
        .tools([yields, once])
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let noted = world.clone();
    let outcome = move |event: &RunEvent| {
        let EventKind::Committed(committed) = &event.kind else { return };
        let finished = |entry: &Arc<Entry>| matches!(entry.event, Event::ToolFinished(_));
        if committed.entries.iter().any(finished) {
            noted.note("committed");
        }
    };
    let run = agent.run("go").observer(Arc::new(outcome)).await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(world.notes()[..3], ["once 2", "went on", "committed"]);
}

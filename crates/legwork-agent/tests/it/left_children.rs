//! Calls of subagents that are given up: what their sessions used is charged, and they end.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use futures_util::future::FutureExt as _;
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Subagent};
use legwork_core::event::Event;
use legwork_core::{
    Budget, EffectClass, Entry, ExecutionStatus, Seq, SessionId, StopReason, Usage,
};
use legwork_port::store::{Batch, Query, Range};
use legwork_port::{Claim, Store, Tool, Toolset};
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::invariants::{Journals, of_tree};
use legwork_testkit::{Gate, ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::meddled::{Meddled, Meddler};
use crate::sets::Set;
use crate::subagents::spawn;
use crate::tools::{World, guarded, made, outcomes, spec};

async fn journals(store: &dyn Store) -> Journals {
    let mut journals = Journals::new();
    for info in store.sessions(&Query::all()).await.unwrap().sessions {
        let journal = store.read(&info.session, Range::ALL).await.unwrap().journal;
        journals.insert(info.session, journal);
    }
    journals
}

/// The status of the only subagent.
fn child(journals: &Journals) -> ExecutionStatus {
    let states = journals.iter().map(|(session, journal)| journal.fold(session));
    let mut children = states.filter(|state| state.facts().parent.is_some());
    children.next().unwrap().status().unwrap().clone()
}

/// An agent whose subagent `a` waits in a call that the gate holds.
fn agent(store: &Arc<MemoryStore>, gate: &Gate) -> Builder {
    let used = Usage { input: 10, output: 10, ..Usage::default() };
    let wait = Turn::call("wait", json!({"n": 1})).with_usage(used);
    let worker = ScriptedModel::new([wait, Turn::text("ok")]).named("x:worker");
    let root = ScriptedModel::new([Turn::calls([spawn("a", "work")]), Turn::text("done")]);
    let wait = guarded(spec("wait").effect(EffectClass::ReadOnly), &World::default(), gate);
    Agent::builder(root)
        .subagent(Subagent::new("a", "Works.", "").model(worker).tools([wait]))
        .store_in(store.clone())
}

/// Kills the agent while its subagent waits.
async fn kill(agent: &Agent, gate: &Gate) {
    tokio::select! {
        biased;
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
}

#[tokio::test]
async fn s5_4_s6_12_s7_7_a_subagent_whose_tool_changed_is_charged_and_ended() {
    let (store, gate) = (Arc::new(MemoryStore::new()), Gate::new());
    kill(&agent(&store, &gate).build().unwrap(), &gate).await;
    // Another subagent changes the tool that spawns them.
    let another = Subagent::new("b", "Works, too.", "");
    let changed = agent(&store, &gate).subagent(another).build().unwrap();
    let run = changed.resume("s").await.unwrap();
    let told = outcomes(run.state()).remove(0).to_text();
    assert!(told.contains("not the one that was shown"), "{told}");
    let journals = journals(&*store).await;
    assert_eq!(child(&journals), ExecutionStatus::Cancelled);
    of_tree(&journals).unwrap();
    assert!(run.state().ledger().lifetime.input >= 10, "{:?}", run.state().ledger().lifetime);
}

/// A toolset that brings a tool of a name that is taken: no tools are known then.
fn clashing() -> Set {
    Set::new("clashing").tools([made(spec("spawn_subagent"), |_, _| Box::pin(pending()))])
}

#[tokio::test]
async fn s5_4_s7_7_a_subagent_is_charged_and_ended_where_no_tools_are_known() {
    let (store, gate) = (Arc::new(MemoryStore::new()), Gate::new());
    kill(&agent(&store, &gate).build().unwrap(), &gate).await;
    let broken = agent(&store, &gate).toolset(clashing()).build().unwrap();
    let run = broken.resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    let journals = journals(&*store).await;
    assert_eq!(child(&journals), ExecutionStatus::Cancelled);
    of_tree(&journals).unwrap();
}

/// A toolset that is asked for its tools so often, and no more.
struct Asked(AtomicUsize);

impl Toolset for Asked {
    fn name(&self) -> &'static str {
        "asked"
    }

    fn tools(&self) -> Option<Vec<Arc<dyn Tool>>> {
        let left = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        assert!(left.is_ok(), "no power");
        Some(Vec::new())
    }
}

#[tokio::test]
async fn s7_7_a_subagent_that_cannot_go_on_is_charged_and_ended() {
    let (store, gate) = (Arc::new(MemoryStore::new()), Gate::new());
    // When the parent is built it and its subagent are asked, and the subagent when it begins.
    let asked = Asked(AtomicUsize::new(3));
    let agent = agent(&store, &gate).toolset(asked).build().unwrap();
    kill(&agent, &gate).await;
    let run = agent.resume("s").await.unwrap();
    let told = outcomes(run.state()).remove(0).to_text();
    assert!(told.contains("could not run") && told.contains("no power"), "{told}");
    let journals = journals(&*store).await;
    assert_eq!(child(&journals), ExecutionStatus::Cancelled);
    of_tree(&journals).unwrap();
    assert!(run.state().ledger().lifetime.input >= 10, "{:?}", run.state().ledger().lifetime);
}

/// The append of a subagent's response is written only after its caller was dropped, and
/// after the journal was read once more.
#[derive(Default)]
struct Late(Mutex<Shared>);

#[derive(Default)]
struct Shared {
    claim: Option<Weak<Box<dyn Claim>>>,
    append: Option<(SessionId, Seq, Vec<Arc<Entry>>)>,
    happened: bool,
}

impl Meddler for Late {
    fn claimed(&self, _: &SessionId, claim: &Arc<Box<dyn Claim>>) {
        self.0.lock().unwrap().claim = Some(Arc::downgrade(claim));
    }

    fn hangs(&self, session: &SessionId, expected: Seq, entries: &[Arc<Entry>]) -> bool {
        let responds = entries.iter().any(|entry| matches!(entry.event, Event::Responded(_)));
        let mut shared = self.0.lock().unwrap();
        if shared.happened || !responds || session.as_str() == "s" {
            return false;
        }
        shared.append = Some((session.clone(), expected, entries.to_vec()));
        shared.happened = true;
        true
    }

    fn was_read(&self, session: &SessionId) {
        let mut shared = self.0.lock().unwrap();
        let Some((_, expected, entries)) = shared.append.take_if(|(late, ..)| *late == *session)
        else {
            return;
        };
        let claim = shared.claim.as_ref().and_then(Weak::upgrade).unwrap();
        claim.append(expected, Batch::of(&entries)).now_or_never().unwrap().unwrap();
    }
}

#[tokio::test]
async fn s3_2_s7_7_a_subagent_that_was_writing_when_the_time_was_up_is_ended_all_the_same() {
    let (late, clock) = (Arc::new(Late::default()), VirtualClock::auto());
    let store = Meddled::by(late.clone(), &MemoryStore::new());
    let worker = ScriptedModel::new([Turn::text("ok")]).named("x:worker");
    let root = ScriptedModel::new([Turn::calls([spawn("a", "work")]), Turn::text("done")]);
    let agent = Agent::builder(root)
        .subagent(Subagent::new("a", "Works.", "").model(worker))
        .budget(Budget::unlimited().time(Duration::from_secs(25)))
        .clock(Arc::new(clock))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::TimeLimit));
    assert!(late.0.lock().unwrap().happened, "its append was under way");
    let journals = journals(&store).await;
    assert_eq!(child(&journals), ExecutionStatus::Completed, "what it wrote stands");
    of_tree(&journals).unwrap();
}

/// A session whose subagent's call cannot be taken up again, and an agent to resume it over
/// a store with faults.
async fn left(
    faults: impl IntoIterator<Item = (Operation, usize, Fault)>,
) -> (Arc<MemoryStore>, Agent) {
    let (store, gate) = (Arc::new(MemoryStore::new()), Gate::new());
    kill(&agent(&store, &gate).build().unwrap(), &gate).await;
    let faulty = FaultyStore::over(store.clone());
    let faulty = faults
        .into_iter()
        .fold(faulty, |store, (operation, nth, fault)| store.fault(operation, nth, fault));
    let broken = agent(&store, &gate).toolset(clashing()).store_in(Arc::new(faulty));
    (store, broken.build().unwrap())
}

#[tokio::test]
async fn s7_7_a_subagent_is_ended_later_where_its_store_does_not_take_that_now() {
    let faults: [&[(Operation, usize, Fault)]; 3] = [
        // The first claim is that of the parent.
        &[(Operation::Claim, 2, Fault::FailBefore)],
        // The first append is that the parent works again; the end is tried three times.
        &[
            (Operation::Append, 2, Fault::Conflict),
            (Operation::Append, 3, Fault::Conflict),
            (Operation::Append, 4, Fault::Conflict),
        ],
        // Under a claim that was lost it is tried once.
        &[(Operation::Append, 2, Fault::Lost)],
    ];
    for faults in faults {
        let (store, agent) = left(faults.iter().copied()).await;
        let error = agent.resume("s").await.unwrap_err();
        assert!(error.as_store().is_some(), "{faults:?}: {error:?}");
        assert_eq!(child(&journals(&*store).await), ExecutionStatus::InProgress);
        let run = agent.resume("s").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::Failed);
        let journals = journals(&*store).await;
        assert_eq!(child(&journals), ExecutionStatus::Cancelled);
        of_tree(&journals).unwrap();
    }
}

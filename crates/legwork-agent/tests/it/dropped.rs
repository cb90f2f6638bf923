//! Steps that are dropped at a poll, as a `select!` does: only what was not committed is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Driver, ToolCalling, hook};
use legwork_core::{
    AgentState, EffectClass, ExecutionStatus, OnDoubt, Progress as _, SessionId, ToolOutcome,
};
use legwork_orchestrate::{Chat, Collaboration, Participant, StepByStep, ToolUse};
use legwork_port::store::Range;
use legwork_port::{Store, Tool, Trigger};
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::{RecordingObserver, ScriptedModel, Turn, invariants, polls};
use serde_json::json;

use crate::stepping::stepping;
use crate::tools::{World, made, noting, once, said, spec};

/// More polls than any of these runs takes.
const MOST: usize = 400;

/// Takes its time, and notes its key before and its end behind that.
fn slow(name: &'static str, effect: EffectClass, world: &World) -> Arc<dyn Tool> {
    let world = world.clone();
    made(spec(name).effect(effect), move |arguments, cx| {
        let (world, key) = (world.clone(), cx.key.clone());
        Box::pin(async move {
            world.note(format!("{name} {} began as {key}", arguments["n"]));
            polls::others(2).await;
            ToolOutcome::value(arguments["n"].clone())
        })
    })
}

/// Two steps with calls and an answer; all that can takes its time.
fn busy(world: &World, effect: EffectClass) -> Builder {
    let passes = hook("passes", Trigger::ALL, |state: AgentState, _| async move {
        polls::others(3).await;
        Ok(state)
    });
    let two = [("look", json!({"n": 1})), ("put", json!({"n": 2}))];
    let model = ScriptedModel::new([
        Turn::calls(two),
        Turn::call("put", json!({"n": 3})),
        Turn::text("done"),
    ]);
    Agent::builder(model)
        .tools([slow("look", EffectClass::ReadOnly, world), slow("put", effect, world)])
        .hook(passes)
}

/// Drops steps after so many polls each, a few of them, and lets the rest be made.
async fn torn<R: StepByStep>(mut run: R, after: usize, times: usize) -> R::State {
    for _ in 0..times {
        if let Some(step) = polls::at_most(after, run.next()).await {
            step.unwrap();
        }
    }
    run.finish().await.unwrap()
}

const ALL: [&str; 5] = ["go", "1", "2", "3", "done"];

#[tokio::test]
async fn s4_3_an_agents_step_dropped_at_any_poll_loses_only_what_was_not_committed() {
    for (polls, times) in (1..MOST).flat_map(|polls| [(polls, 1), (polls, 3)]) {
        let (world, store) = (World::default(), Arc::new(MemoryStore::new()));
        let paced = FaultyStore::over(store.clone()).paced([2, 1]);
        let builder = busy(&world, EffectClass::Idempotent).store_in(Arc::new(paced));
        let agent = builder.build().unwrap();
        let run = agent.run("go").in_session("s").open().await.unwrap();
        let state = torn(run, polls, times).await;
        assert_eq!(said(&state), ALL, "{times} times after {polls} polls");
        assert_eq!(state.status(), Some(&ExecutionStatus::Completed));
        invariants::of_state(&state).unwrap();
        let session = SessionId::from("s");
        let journal = store.read(&session, Range::ALL).await.unwrap().journal;
        invariants::of_journal(&session, &journal).unwrap();
        assert_eq!(said(&journal.fold(&session)), said(&state));
    }
}

#[tokio::test]
async fn s4_3_a_dropped_step_leaves_the_state_of_the_last_commit() {
    let mut torn = 0;
    for polls in 1..MOST {
        let (world, store) = (World::default(), Arc::new(MemoryStore::new()));
        let builder = busy(&world, once()).store_in(store.clone());
        let mut run = builder.build().unwrap().run("go").in_session("s").open().await.unwrap();
        let before = run.state().clone();
        if polls::at_most(polls, run.next()).await.is_some() {
            break;
        }
        torn += 1;
        let session = SessionId::from("s");
        let journaled = store.read(&session, Range::ALL).await.unwrap().journal.fold(&session);
        match journaled.version() == AgentState::new(session).version() {
            true => assert_eq!(run.state(), &before, "nothing was committed"),
            false => assert_eq!(run.state(), &journaled, "after {polls} polls"),
        }
        assert_eq!(said(run.state())[0], "go");
    }
    assert!(torn > 5, "{torn}");
}

#[tokio::test]
async fn a_step_that_nobody_drops_is_written_as_in_one_run() {
    let appends = async |stepwise: bool| {
        let store = FaultyStore::over(Arc::new(MemoryStore::new()));
        let turns = [Turn::call("look", json!({"n": 1})), Turn::text("done")];
        let agent = Agent::builder(ScriptedModel::new(turns))
            .tool(noting("look", EffectClass::ReadOnly, &World::default()))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        match stepwise {
            true => {
                let mut active = agent.run("go").open().await.unwrap();
                while active.next().await.unwrap().is_some() {}
            }
            false => drop(agent.run("go").await.unwrap()),
        }
        store.count(Operation::Append)
    };
    assert_eq!(appends(true).await, appends(false).await);
}

#[tokio::test]
async fn s10_2_a_call_that_is_once_and_was_dropped_is_in_doubt_and_does_not_run_again() {
    for polls in 1..MOST {
        let world = World::default();
        let agent = busy(&world, once()).store_in(Arc::new(MemoryStore::new())).build().unwrap();
        let run = agent.run("go").in_session("s").on_doubt(OnDoubt::Tell).open().await.unwrap();
        let state = torn(run, polls, 1).await;
        assert_eq!(state.status(), Some(&ExecutionStatus::Completed));
        for n in [2, 3] {
            let begun = |note: &&String| note.starts_with(&format!("put {n} began"));
            assert!(world.notes().iter().filter(begun).count() <= 1, "after {polls} polls");
        }
    }
}

#[tokio::test]
async fn s4_2_a_tasks_step_dropped_at_any_poll_keeps_its_steps() {
    for polls in 1..MOST {
        let world = World::default();
        let task = ToolUse::new(busy(&world, EffectClass::Idempotent)).unwrap();
        let mut run = task.iterate("go").await.unwrap();
        let first = run.next().await.unwrap().unwrap();
        assert_eq!(first.step_count(), 1);
        let dropped = polls::at_most(polls, run.next()).await.is_none();
        assert!(run.state().step_count() >= 1, "after {polls} polls");
        let state = run.finish().await.unwrap();
        assert_eq!((state.text(), state.step_count()), ("done".to_owned(), 3));
        if !dropped {
            return;
        }
    }
    unreachable!("a step takes fewer polls");
}

#[tokio::test]
async fn s4_2_a_task_dropped_in_its_first_step_goes_on() {
    for polls in 1..MOST {
        let world = World::default();
        let task = ToolUse::new(busy(&world, EffectClass::Idempotent)).unwrap();
        let state = torn(task.iterate("go").await.unwrap(), polls, 2).await;
        assert_eq!((state.text(), state.step_count()), ("done".to_owned(), 3));
    }
}

#[tokio::test]
async fn s4_2_a_conversations_turn_dropped_at_any_poll_is_made_once() {
    let agent = |name: &str, store: &Arc<MemoryStore>| {
        let model = ScriptedModel::new([Turn::text(name), Turn::text(format!("{name} again"))]);
        let paced = FaultyStore::over(store.clone()).paced([2]);
        Agent::builder(model).store_in(Arc::new(paced)).build().unwrap()
    };
    for polls in 1..60 {
        let store = Arc::new(MemoryStore::new());
        let chat = Chat::builder()
            .participant(Participant::agent("Ann", agent("a", &store)))
            .participant(Participant::agent("Bob", agent("b", &store)))
            .turns(4)
            .build()
            .unwrap();
        let state = torn(chat.iterate("go"), polls, 3).await;
        let said: Vec<_> = state.transcript().iter().map(|line| line.message.text()).collect();
        assert_eq!(said, ["go", "a", "b", "a again", "b again"], "after {polls} polls");

        let store = Arc::new(MemoryStore::new());
        let work = Collaboration::builder()
            .member("Ann", "writes", agent("a", &store))
            .member("Bob", "reads", agent("b", &store))
            .turns(3)
            .build()
            .unwrap();
        let state = torn(work.iterate("go"), polls, 3).await;
        assert_eq!(state.step_count(), 3);
    }
}

#[tokio::test]
async fn s4_3_a_streams_next_event_can_be_dropped_and_asked_for_again() {
    for polls in 1..8 {
        let world = World::default();
        let agent = busy(&world, once()).store_in(Arc::new(MemoryStore::new())).build().unwrap();
        let mut stream = agent.stream("go");
        for _ in 0..MOST {
            let _ = polls::at_most(polls, stream.next()).await;
        }
        let run = stream.finish().await.unwrap();
        assert_eq!(said(run.state()), ALL);
        assert_eq!(world.notes().len(), 3);
    }
}

#[tokio::test]
async fn s4_3_an_append_that_ended_after_its_step_was_dropped_is_known() {
    // The first commit is written only after the step that made it was dropped.
    let (world, store) = (World::default(), Arc::new(MemoryStore::new()));
    let paced = FaultyStore::over(store.clone()).fault(Operation::Append, 1, Fault::Slow(20));
    let agent = busy(&world, once()).store_in(Arc::new(paced)).build().unwrap();
    let mut run = agent.run("go").in_session("s").open().await.unwrap();
    assert!(polls::at_most(10, run.next()).await.is_none());
    let fed = run.state().clone().with_message("and more");
    run.set(fed).unwrap();
    let error = run.next().await.unwrap_err();
    assert!(error.to_string().contains("the caller"), "{error}");
    let state = run.finish().await.unwrap();
    assert_eq!(said(&state), ALL);
}

/// A driver that does not wait for its first commit.
fn hasty() -> impl Driver {
    let began = AtomicBool::new(false);
    stepping(move |state, cx| {
        let first = !began.swap(true, Ordering::SeqCst);
        Box::pin(async move {
            if !first {
                return ToolCalling.use_tools(state, cx).await;
            }
            let state = state.with_metadata("first", Some(json!(1)));
            assert!(polls::at_most(2, cx.commit(state.clone())).await.is_none());
            let state = state.with_metadata("second", Some(json!(2)));
            ToolCalling.use_tools(cx.commit(state).await?, cx).await
        })
    })
}

#[tokio::test]
async fn s4_3_a_commit_that_its_driver_dropped_is_written_once() {
    // Dropped before it was written, and after; step by step, and in one run.
    let faults = [Fault::Slow(20), Fault::SlowAfter(20)];
    for (fault, whole) in faults.into_iter().flat_map(|fault| [(fault, false), (fault, true)]) {
        let (world, store) = (World::default(), Arc::new(MemoryStore::new()));
        let paced = FaultyStore::over(store.clone()).fault(Operation::Append, 1, fault);
        let seen = RecordingObserver::new();
        let agent = busy(&world, once()).driver(hasty()).store_in(Arc::new(paced));
        let agent = agent.observer(Arc::new(seen.clone())).build().unwrap();
        let request = agent.run("go").in_session("s");
        let state = match whole {
            true => request.await.unwrap().state().clone(),
            false => {
                let mut run = request.open().await.unwrap();
                while run.next().await.unwrap().is_some() {}
                run.state().clone()
            }
        };
        assert_eq!(said(&state), ALL);
        let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
        invariants::of_journal(&"s".into(), &journal).unwrap();
        let set = journal.entries().iter().filter(|entry| entry.event.kind() == "metadata_set");
        assert_eq!(set.count(), 2);
        let told: Vec<_> = seen.entries().iter().map(|entry| entry.seq).collect();
        let written: Vec<_> = journal.entries().iter().map(|entry| entry.seq).collect();
        assert_eq!(told, written, "each entry is told once");
    }
}

/// A driver that does not wait long for the last commit of its first step; it counts those
/// that it dropped.
fn hasty_at_the_end(dropped: &Arc<AtomicUsize>) -> impl Driver + use<> {
    let dropped = Arc::clone(dropped);
    let began = AtomicBool::new(false);
    stepping(move |state, cx| {
        let (first, dropped) = (!began.swap(true, Ordering::SeqCst), Arc::clone(&dropped));
        Box::pin(async move {
            let state = ToolCalling.use_tools(state, cx).await?;
            if !first {
                return Ok(state);
            }
            let state = state.with_metadata("last", Some(json!(1)));
            match polls::at_most(2, cx.commit(state.clone())).await {
                Some(committed) => committed,
                None => {
                    dropped.fetch_add(1, Ordering::SeqCst);
                    Ok(state)
                }
            }
        })
    })
}

#[tokio::test]
async fn s4_3_the_last_commit_of_a_step_that_its_driver_dropped_is_no_change_of_the_callers() {
    let dropped = Arc::new(AtomicUsize::new(0));
    for fault in [Fault::Slow(20), Fault::SlowAfter(20)] {
        for at in 1..12 {
            let (world, store) = (World::default(), Arc::new(MemoryStore::new()));
            let paced = FaultyStore::over(store.clone()).fault(Operation::Append, at, fault);
            let agent = busy(&world, once()).driver(hasty_at_the_end(&dropped));
            let agent = agent.store_in(Arc::new(paced)).build().unwrap();
            let mut run = agent.run("go").in_session("s").open().await.unwrap();
            while run.next().await.unwrap().is_some() {}
            assert_eq!(said(run.state()), ALL, "append {at}");
            let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
            invariants::of_journal(&"s".into(), &journal).unwrap();
        }
    }
    assert_eq!(dropped.load(Ordering::SeqCst), 2, "once with each fault");
}

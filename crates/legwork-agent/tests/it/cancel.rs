//! Cancelling ends an execution; interrupting leaves it where it is.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Control, EventKind, Run};
use legwork_core::event::Event;
use legwork_core::inbox::Item;
use legwork_core::tool::ExecutionMode;
use legwork_core::{EffectClass, Entry, ExecutionStatus, Seq, SessionId, StopReason, ToolOutcome};
use legwork_port::{Cancellation, Store};
use legwork_testkit::{Gate, RecordingObserver, ScriptedModel, Turn};
use serde_json::json;

use crate::meddled::{Meddled, Meddler};
use crate::tools::{World, guarded, journal, made, noting, once, outcomes, said, spec, waiting};

fn cancelled(run: &Run) {
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::UserRequested));
}

#[tokio::test]
async fn s7_7_cancelled_before_the_start_no_model_call_is_made() {
    let model = ScriptedModel::new([Turn::text("never")]);
    let control = Control::default();
    control.cancel.cancel();
    let agent = Agent::builder(model.clone()).build().unwrap();
    let run = agent.run("go").control(control).outcome().await.unwrap();
    cancelled(&run);
    assert!(model.requests().is_empty());
    assert_eq!(run.state().step_results().count(), 0);
}

#[tokio::test]
async fn s7_7_cancelled_during_tools_what_finished_is_kept_and_the_session_stays_usable() {
    let (world, never, store) = (World::default(), Gate::new(), Arc::new(MemoryStore::new()));
    let three = [("look", json!({"n": 1})), ("hang", json!({"n": 2})), ("late", json!({"n": 3}))];
    let model = ScriptedModel::new([Turn::calls(three), Turn::text("fresh")]);
    let sequential = spec("late").mode(ExecutionMode::Sequential);
    let agent = Agent::builder(model.clone())
        .tools([
            noting("look", EffectClass::ReadOnly, &world),
            guarded(spec("hang"), &world, &never),
            guarded(sequential, &world, &never),
        ])
        .store_in(store)
        .build()
        .unwrap();
    let control = Control::default();
    let cancel = async {
        never.arrived(1).await;
        control.cancel.cancel();
        control.cancel.cancel();
    };
    let run = agent.run("go").in_session("s").control(control.clone());
    let run = tokio::join!(run.outcome(), cancel).0.unwrap();
    cancelled(&run);
    let all = outcomes(run.state());
    assert_eq!(all[0], ToolOutcome::value(json!(1)));
    assert_eq!(all[1], ToolOutcome::Interrupted);
    assert!(matches!(&all[2], ToolOutcome::Skipped(why) if why.contains("cancelled")));
    assert_eq!(world.notes(), ["look 1", "hang 2 began", "hang 2 dropped"]);
    assert_eq!(run.state().stop_signals().len(), 1, "cancelling twice is once");

    let fresh = agent.session("s").run("and now?").await.unwrap();
    assert_eq!((fresh.status(), &*fresh.text()), (ExecutionStatus::Completed, "fresh"));
    assert_eq!(model.asked()[1].last(), "and now?");
}

/// Ends a run while the intent of a call is committed.
struct AtIntent(Cancellation);

impl Meddler for AtIntent {
    fn hangs(&self, _: &SessionId, _: Seq, entries: &[Arc<Entry>]) -> bool {
        if entries.iter().any(|entry| matches!(entry.event, Event::ToolStarted(_))) {
            self.0.cancel();
        }
        false
    }
}

#[tokio::test]
async fn s7_7_no_call_begins_in_a_run_that_was_ended_while_its_intent_was_committed() {
    let skipped = ToolOutcome::Skipped("the execution was cancelled".to_owned());
    for calls in [1, 2] {
        for cancel in [true, false] {
            let (world, control) = (World::default(), Control::default());
            let ends = if cancel { &control.cancel } else { &control.interrupt };
            let meddler = Arc::new(AtIntent(ends.clone()));
            let store = Meddled::by(meddler, &MemoryStore::new());
            let all = vec![("look", json!({"n": 1})); calls];
            let agent = Agent::builder(ScriptedModel::new([Turn::calls(all), Turn::text("done")]))
                .tools([noting("look", EffectClass::ReadOnly, &world)])
                .store_in(Arc::new(store))
                .build()
                .unwrap();
            let run =
                agent.run("go").in_session("s").control(control.clone()).outcome().await.unwrap();
            assert!(world.notes().is_empty(), "{:?}", world.notes());
            if cancel {
                cancelled(&run);
                assert_eq!(outcomes(run.state()), vec![skipped.clone(); calls]);
            } else {
                assert_eq!(run.status(), ExecutionStatus::InProgress);
                assert_eq!(agent.resume("s").await.unwrap().text(), "done");
                assert_eq!(world.notes().len(), calls, "they begin in the next run");
            }
        }
    }
}

#[tokio::test]
async fn s7_7_a_call_that_began_in_another_run_is_interrupted_though_it_did_not_begin_again() {
    let (world, gate, store) = (World::default(), Gate::new(), MemoryStore::new());
    let agent = |store: Arc<dyn Store>, bound: usize| {
        let both = [("hang", json!({"n": 1})), ("look", json!({"n": 2}))];
        Agent::builder(ScriptedModel::new([Turn::calls(both)]))
            .tools([
                guarded(spec("hang").effect(EffectClass::ReadOnly), &world, &gate),
                noting("look", once(), &world),
            ])
            .parallel_calls(bound)
            .store_in(store)
            .build()
            .unwrap()
    };
    let first = agent(Arc::new(store.clone()), 1);
    tokio::select! {
        biased;
        _ = first.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    let control = Control::default();
    let meddled = Meddled::by(Arc::new(AtIntent(control.cancel.clone())), &store);
    let run = agent(Arc::new(meddled), 2).resume("s").control(control).outcome().await.unwrap();
    cancelled(&run);
    let skipped = ToolOutcome::Skipped("the execution was cancelled".to_owned());
    assert_eq!(outcomes(run.state()), [ToolOutcome::Interrupted, skipped]);
    assert_eq!(world.notes(), ["hang 1 began", "hang 1 dropped"]);
}

#[tokio::test]
async fn s7_7_what_calls_returned_while_the_run_was_cancelled_is_kept() {
    let two = [("last", json!({"n": 1})), ("look", json!({"n": 2}))];
    for calls in [&two[..1], &two] {
        let control = Control::default();
        let raised = control.clone();
        let last = made(spec("last").effect(EffectClass::ReadOnly), move |arguments, _| {
            raised.cancel.cancel();
            Box::pin(std::future::ready(ToolOutcome::value(arguments["n"].clone())))
        });
        let look = noting("look", EffectClass::ReadOnly, &World::default());
        let model = ScriptedModel::new([Turn::calls(calls.iter().cloned())]);
        let agent = Agent::builder(model).tools([last, look]).build().unwrap();
        let run = agent.run("go").control(control).outcome().await.unwrap();
        cancelled(&run);
        assert_eq!(outcomes(run.state())[0], ToolOutcome::value(json!(1)), "{} calls", calls.len());
    }
}

#[tokio::test]
async fn s7_7_cancelled_calls_are_all_told_live_also_those_that_had_ended_already() {
    let (world, never, open) = (World::default(), Gate::new(), Gate::new());
    open.open();
    let two = [("slow", json!({"n": 1})), ("fast", json!({"n": 2}))];
    let mode = ExecutionMode::ParallelOrdered;
    let seen = RecordingObserver::new();
    let agent = Agent::builder(ScriptedModel::new([Turn::calls(two)]))
        .tools([waiting("slow", mode, &world, &never), waiting("fast", mode, &world, &open)])
        .observer(Arc::new(seen.clone()))
        .build()
        .unwrap();
    let control = Control::default();
    let cancel = async {
        open.arrived(1).await;
        control.cancel.cancel();
    };
    let run = agent.run("go").control(control.clone());
    let run = tokio::join!(run.outcome(), cancel).0.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::Interrupted, ToolOutcome::value(json!(2))]);
    let mut told: Vec<_> = seen
        .kinds()
        .into_iter()
        .filter_map(|live| match live {
            EventKind::ToolFinished { index, outcome, .. } => Some((index, outcome)),
            _ => None,
        })
        .collect();
    told.sort_by_key(|(index, _)| *index);
    assert_eq!(told, [(0, ToolOutcome::Interrupted), (1, ToolOutcome::value(json!(2)))]);
}

#[tokio::test]
async fn s7_7_cancelled_during_an_inference_it_ends_without_waiting_for_it() {
    let never = Gate::new();
    let model = ScriptedModel::new([Turn::text("never").behind(&never)]);
    let agent = Agent::builder(model).build().unwrap();
    let control = Control::default();
    let cancel = async {
        never.arrived(1).await;
        control.cancel.cancel();
    };
    let run = agent.run("go").control(control.clone());
    let run = tokio::join!(run.outcome(), cancel).0.unwrap();
    cancelled(&run);
    assert_eq!(said(run.state()), ["go"]);
    assert!(run.state().ledger().reserved.is_empty(), "what was held is charged");
}

#[tokio::test]
async fn s7_7_after_the_end_cancelling_is_nothing() {
    let control = Control::default();
    let agent = Agent::builder(ScriptedModel::new([Turn::text("done")])).build().unwrap();
    let mut open = agent.run("go").control(control.clone()).open().await.unwrap();
    while open.next().await.unwrap().is_some() {}
    control.cancel.cancel();
    assert!(open.next().await.unwrap().is_none());
    assert_eq!(open.state().status(), Some(&ExecutionStatus::Completed));
}

#[tokio::test]
async fn s3_9_an_interrupt_leaves_the_execution_in_progress_and_resumable() {
    let (world, gate, store) = (World::default(), Gate::new(), MemoryStore::new());
    let two = [("look", json!({"n": 1})), ("send", json!({"n": 2}))];
    let model = ScriptedModel::new([Turn::calls(two), Turn::text("done")]);
    let read_only = spec("look").effect(EffectClass::ReadOnly);
    let agent = Agent::builder(model.clone())
        .tools([
            guarded(read_only, &world, &gate),
            guarded(spec("send").effect(once()), &world, &gate),
        ])
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let control = Control::default();
    let interrupt = async {
        gate.arrived(2).await;
        control.interrupt.cancel();
    };
    let run = agent.run("go").in_session("s").control(control.clone());
    let run = tokio::join!(run.outcome(), interrupt).0.unwrap();
    assert_eq!(run.status(), ExecutionStatus::InProgress);
    assert!(run.continuation().is_none() && run.state().stop_signals().is_empty());
    assert!(!journal(&store, "s").await.contains(&"execution_finished".to_owned()));

    gate.open();
    let run = agent.resume("s").await.unwrap();
    assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "done"));
    // What may be run again was; what may not is told to the model.
    assert_eq!(outcomes(run.state()), [ToolOutcome::value(json!(1)), ToolOutcome::Interrupted]);
    assert_eq!((world.count("look 1 began"), world.count("send 2 began")), (2, 1));
    assert_eq!(model.requests().len(), 2, "no response was asked for again");
}

#[tokio::test]
async fn s3_9_an_interrupt_between_steps_goes_on_with_the_next_step() {
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::builder(model.clone())
        .tools([noting("look", EffectClass::ReadOnly, &World::default())])
        .store_in(store)
        .build()
        .unwrap();
    let control = Control::default();
    let mut open = agent.run("go").in_session("s").control(control.clone()).open().await.unwrap();
    open.next().await.unwrap().unwrap();
    control.interrupt.cancel();
    assert!(open.next().await.unwrap().is_none());
    assert_eq!(open.state().status(), Some(&ExecutionStatus::InProgress));
    drop(open);
    assert_eq!(model.requests().len(), 1);
    let run = agent.resume("s").await.unwrap();
    assert_eq!((run.text().as_str(), model.requests().len()), ("done", 2));
}

#[tokio::test]
async fn s3_9_a_stop_left_in_the_inbox_ends_it_as_cancelled() {
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("never")]);
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::builder(model.clone())
        .tools([noting("look", EffectClass::ReadOnly, &World::default())])
        .store_in(store)
        .build()
        .unwrap();
    let mut open = agent.run("go").in_session("s").open().await.unwrap();
    open.next().await.unwrap().unwrap();
    agent.session("s").post("stop", Item::Stop("that is enough".into())).await.unwrap();
    while open.next().await.unwrap().is_some() {}
    let run = open.into_run();
    cancelled(&run);
    assert!(run.continuation().unwrap().explain().contains("that is enough"));
    assert_eq!(model.requests().len(), 1);
}

/// A session left with one call that began and has no outcome, and its agent.
async fn left_in_doubt(effect: EffectClass) -> (Agent, World) {
    let (world, never) = (World::default(), Gate::new());
    let model = ScriptedModel::new([Turn::call("hang", json!({"n": 1})), Turn::text("never")]);
    let agent = Agent::builder(model)
        .tools([guarded(spec("hang").effect(effect), &world, &never)])
        .store_in(Arc::new(MemoryStore::new()))
        .build()
        .unwrap();
    // The intent of a call that may be run again is committed with its response.
    tokio::select! {
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = never.arrived(1) => {}
    }
    (agent, world)
}

#[tokio::test]
async fn s7_7_a_resumed_session_that_is_cancelled_runs_nothing_again() {
    for effect in [EffectClass::ReadOnly, EffectClass::Idempotent, once()] {
        let (agent, world) = left_in_doubt(effect).await;
        let control = Control::default();
        control.cancel.cancel();
        let run = agent.resume("s").control(control).outcome().await.unwrap();
        cancelled(&run);
        assert_eq!(outcomes(run.state()), [ToolOutcome::Interrupted], "{effect:?}");
        assert_eq!(world.notes(), ["hang 1 began", "hang 1 dropped"]);
    }
}

#[tokio::test]
async fn s3_9_a_session_that_waits_for_an_answer_can_be_stopped() {
    let (agent, _) = left_in_doubt(once()).await;
    let paused = agent.resume("s").outcome().await.unwrap();
    assert_eq!(paused.status(), ExecutionStatus::AwaitingApproval);
    agent.session("s").post("stop", Item::Stop("never mind".into())).await.unwrap();
    let run = agent.resume("s").outcome().await.unwrap();
    cancelled(&run);
    assert_eq!(outcomes(run.state()), [ToolOutcome::Interrupted]);
    assert!(run.state().pending().is_empty());
}

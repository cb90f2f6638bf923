//! Steps that another run takes up: what is asked, shown and answered once more, and what not.

use std::sync::Arc;

use futures_util::future::FutureExt as _;
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Control, hook};
use legwork_core::tool::FailureKind;
use legwork_core::{AgentState, EffectClass, ExecutionStatus, OnDoubt, SessionId, ToolOutcome};
use legwork_port::{Ids, Trigger};
use legwork_testkit::{Gate, ScriptedModel, Turn};
use serde_json::json;

use crate::subagents::{child_of, scripted, spawn};
use crate::tools::{World, guarded, journal, kind, made, noting, once, outcomes, said, spec};

/// Notes each step that begins.
fn noted(world: &World) -> legwork_agent::Hook {
    let world = world.clone();
    hook("noted", [Trigger::StepStart], move |state: AgentState, _| {
        world.note("step");
        std::future::ready(Ok(state))
    })
}

#[tokio::test]
async fn s2_2_a_step_that_was_interrupted_in_its_inference_does_not_start_once_more() {
    let (world, store, gate) = (World::default(), Arc::new(MemoryStore::new()), Gate::new());
    let model = ScriptedModel::new([Turn::text("done").behind(&gate)]);
    let agent = Agent::builder(model).hook(noted(&world)).store_in(store).build().unwrap();
    let control = Control::default();
    let run = agent.run("go").in_session("s").control(control.clone());
    let leaver = async {
        gate.arrived(1).await;
        control.interrupt.cancel();
    };
    let run = tokio::join!(run.outcome(), leaver).0.unwrap();
    assert_eq!(run.status(), ExecutionStatus::InProgress);
    gate.open();
    let run = agent.resume("s").await.unwrap();
    assert_eq!((run.text().as_str(), run.used().steps), ("done", 1));
    assert_eq!(world.notes(), ["step"]);
}

/// An agent whose first call is done and whose second one waits at a gate.
fn halfway(store: &Arc<MemoryStore>, world: &World, gate: &Gate) -> (Builder, Builder) {
    let agent = || {
        let two = [("put", json!({"n": 1})), ("hang", json!({"n": 2}))];
        let model = ScriptedModel::new([Turn::calls(two), Turn::text("done")]);
        let put = noting("put", once(), world);
        Agent::builder(model).parallel_calls(1).tools([put]).store_in(store.clone())
    };
    let hang = guarded(spec("hang").effect(EffectClass::ReadOnly), world, gate);
    (agent().tools([hang]), agent())
}

async fn kill(agent: &Agent, gate: &Gate) {
    tokio::select! {
        biased;
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
}

#[tokio::test]
async fn s6_12_on_resume_a_call_of_a_tool_that_is_gone_is_of_a_changed_one() {
    let (world, store, gate) = (World::default(), Arc::new(MemoryStore::new()), Gate::new());
    let (agent, without) = halfway(&store, &world, &gate);
    kill(&agent.build().unwrap(), &gate).await;
    let run = without.build().unwrap().resume("s").await.unwrap();
    let all = outcomes(run.state());
    assert_eq!(all[0], ToolOutcome::value(json!(1)));
    assert_eq!(kind(all[1].clone()), FailureKind::ToolChanged);
    assert_eq!(run.text(), "done");
}

#[tokio::test]
async fn s8_3_a_new_session_of_an_id_that_is_there_is_a_conflict_and_goes_on_with_none() {
    struct Same;
    impl Ids for Same {
        fn session(&self) -> SessionId {
            SessionId::from("same")
        }
    }
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let agent = Agent::builder(model.clone()).ids(Arc::new(Same)).store_in(store.clone());
    let agent = agent.build().unwrap();
    agent.run("first").await.unwrap();
    let before = journal(&store, "same").await;
    let error = agent.run("second").await.unwrap_err();
    assert!(error.is_conflict(), "{error:?}");
    assert_eq!((journal(&store, "same").await, model.requests().len()), (before, 1));
}

#[tokio::test]
async fn s6_2_an_intent_that_need_not_last_is_not_committed_by_itself() {
    // With a hook on the end of a step the response is durable before its calls are begun.
    let (store, world) = (MemoryStore::new(), World::default());
    let (seen, notes) = (store.clone(), world.clone());
    let look = made(spec("look").effect(EffectClass::ReadOnly), move |_, _| {
        let journal = journal_of(&seen);
        notes.note(journal.last().unwrap().clone());
        Box::pin(std::future::ready(ToolOutcome::text("seen")))
    });
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let passes =
        hook("passes", [Trigger::StepEnd], |state: AgentState, _| std::future::ready(Ok(state)));
    let agent = Agent::builder(model).hook(passes).tools([look]).store_in(Arc::new(store));
    let run = agent.build().unwrap().run("go").in_session("s").await.unwrap();
    assert_eq!(said(run.state()), ["go", "seen", "done"]);
    assert_eq!(world.notes(), ["responded"]);
}

/// The kinds of the journal's entries as they are now.
fn journal_of(store: &MemoryStore) -> Vec<String> {
    journal(store, "s").now_or_never().unwrap()
}

#[tokio::test]
async fn s8_3_a_subagent_that_somebody_holds_is_waited_for_though_doubt_is_told() {
    let (store, world, gate) = (MemoryStore::new(), World::default(), Gate::new());
    let root = scripted("x:root", [Turn::calls([spawn("a", "go")]), Turn::text("done")]);
    let child = scripted("x:child", [Turn::call("hang", json!({"n": 1})), Turn::text("ok")]);
    let hang = guarded(spec("hang").effect(EffectClass::ReadOnly), &world, &gate);
    let agent = Agent::builder(root)
        .tools([hang])
        .subagent(legwork_agent::Subagent::new("a", "Works.", "").model(child))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    kill(&agent, &gate).await;
    gate.open();
    let child = SessionId::from(child_of(&store).await);
    let held = legwork_port::Store::claim(&store, &child).await.unwrap();
    let run = agent.resume("s").on_doubt(OnDoubt::Tell).outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
    drop(held);
    let run = agent.resume("s").on_doubt(OnDoubt::Tell).await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("ok")]);
}

//! Calls that were in doubt, and of which a person said that they shall run again.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Control, Subagent};
use legwork_core::inbox::{Answer, Verdict};
use legwork_core::{Budget, EffectClass, ExecutionStatus, SessionId, ToolOutcome};
use legwork_testkit::{Gate, ScriptedModel, Turn};
use serde_json::json;

use crate::subagents::{child_of, scripted, spawn};
use crate::tools::{World, guarded, noting, once, outcomes, said, spec};
use crate::unlisted::far;

/// Runs an agent until its call is under way, and kills it.
async fn killed(agent: &Agent, gate: &Gate) {
    tokio::select! {
        biased;
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    gate.open();
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
}

/// A person says of the call that waits in a session that it shall run again.
async fn answered(agent: &Agent, session: impl Into<SessionId>) {
    let asks = agent.session(session);
    let id = asks.state().await.unwrap().pending()[0].id.clone();
    asks.answer(Answer::new(id, Verdict::RunAgain)).await.unwrap();
}

/// An agent of one call that may not run twice.
fn sender(world: &World, gate: &Gate, store: &MemoryStore) -> Builder {
    let turns = [Turn::call("send", json!({"n": 1})), Turn::text("done")];
    Agent::builder(ScriptedModel::new(turns))
        .tool(guarded(spec("send").effect(once()), world, gate))
        .store_in(Arc::new(store.clone()))
}

#[tokio::test]
async fn s5_1_a_call_that_runs_again_counts_once() {
    let (world, gate) = (World::default(), Gate::new());
    let agent = sender(&world, &gate, &MemoryStore::new());
    let agent = agent.budget(Budget::guards().tool_calls(1)).build().unwrap();
    killed(&agent, &gate).await;
    answered(&agent, "s").await;
    let run = agent.resume("s").await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(world.count("send 1 began"), 2);
    assert_eq!(run.state().ledger().spent.tool_calls, 1);
}

#[tokio::test]
async fn s7_5_a_call_in_doubt_is_decided_before_the_user_is_heard() {
    let (world, gate) = (World::default(), Gate::new());
    let agent = sender(&world, &gate, &MemoryStore::new()).build().unwrap();
    killed(&agent, &gate).await;
    agent.session("s").steer("be brief").await.unwrap();
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
    answered(&agent, "s").await;
    let run = agent.resume("s").await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::value(json!(1))]);
    assert_eq!(said(run.state()), ["go", "1", "be brief", "done"]);
}

#[tokio::test]
async fn s5_4_a_call_that_runs_again_counts_once_above() {
    // Three calls: that of the root, and two of its subagent.
    let (world, gate, store) = (World::default(), Gate::new(), MemoryStore::new());
    let send = Turn::call("send", json!({"n": 1}));
    let look = Turn::call("look", json!({"n": 2}));
    let child = scripted("x:child", [send, look, Turn::text("ok")]);
    let root = scripted("x:root", [Turn::calls([spawn("a", "go")]), Turn::text("done")]);
    let agent = Agent::builder(root)
        .tool(guarded(spec("send").effect(once()), &world, &gate))
        .tool(noting("look", EffectClass::ReadOnly, &world))
        .subagent(Subagent::new("a", "Works.", "").model(child))
        .store_in(Arc::new(store.clone()))
        .budget(Budget::guards().tool_calls(3))
        .build()
        .unwrap();
    killed(&agent, &gate).await;
    answered(&agent, child_of(&store).await).await;
    let run = agent.resume("s").await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("ok")]);
    assert_eq!(run.state().ledger().lifetime.tool_calls, 3);
}

#[tokio::test]
async fn s7_7_a_call_that_was_to_run_again_may_have_happened_though_it_does_not() {
    let (world, gate) = (World::default(), Gate::new());
    let agent = sender(&world, &gate, &MemoryStore::new()).build().unwrap();
    killed(&agent, &gate).await;
    answered(&agent, "s").await;
    agent.session("s").stop("enough").await.unwrap();
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
    assert_eq!(outcomes(run.state()), [ToolOutcome::Interrupted]);
}

#[tokio::test]
async fn s7_7_a_call_that_was_to_run_again_may_have_happened_where_no_tool_is_known() {
    let (world, gate, store) = (World::default(), Gate::new(), MemoryStore::new());
    let agent = sender(&world, &gate, &store).build().unwrap();
    killed(&agent, &gate).await;
    answered(&agent, "s").await;

    let (asked, control) = (Gate::new(), Control::default());
    let far = far(asked.clone());
    let agent = sender(&world, &gate, &store).toolset(far).build().unwrap();
    let cancel = async {
        asked.arrived(1).await;
        control.cancel.cancel();
    };
    let resume = async { agent.resume("s").control(control.clone()).outcome().await.unwrap() };
    let run = tokio::join!(resume, cancel).0;
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
    assert_eq!(outcomes(run.state()), [ToolOutcome::Interrupted]);
}

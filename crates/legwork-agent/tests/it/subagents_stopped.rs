//! Subagents that wait for somebody while the agent that spawned them is stopped.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Subagent};
use legwork_core::tool::ExecutionMode;
use legwork_core::{ExecutionStatus, ToolOutcome};
use legwork_port::Store;
use legwork_testkit::{Gate, Turn};
use serde_json::json;

use crate::subagents::{child_of, scripted, spawn, state_of};
use crate::tools::{World, guarded, once, outcomes, spec};

/// A session whose subagent waits for a person, one of its calls not begun; it is stopped.
async fn stopped_above_a_waiting_subagent(store: Arc<dyn Store>) -> Agent {
    let (world, gate) = (World::default(), Gate::new());
    let calls = Turn::calls([("send", json!({"n": 1})), ("alone", json!({"n": 2}))]);
    let root = scripted("x:root", [Turn::calls([spawn("a", "go")]), Turn::text("done")]);
    let send = guarded(spec("send").effect(once()), &world, &gate);
    let alone = spec("alone").mode(ExecutionMode::Sequential);
    let agent = Agent::builder(root)
        .tools([send, guarded(alone, &world, &gate)])
        .subagent(Subagent::new("a", "Works.", "").model(scripted("x:child", [calls])))
        .store_in(store)
        .build()
        .unwrap();
    {
        let mut run = Box::pin(async { agent.run("go").in_session("s").await });
        futures_util::future::select(&mut run, std::pin::pin!(gate.arrived(1))).await;
    }
    assert_eq!(agent.resume("s").await.unwrap().status(), ExecutionStatus::AwaitingApproval);
    agent.session("s").stop("never mind").await.unwrap();
    agent
}

#[tokio::test]
async fn s7_7_calls_of_a_subagent_that_did_not_begin_are_skipped_when_its_parent_is_stopped() {
    let store = MemoryStore::new();
    let agent = stopped_above_a_waiting_subagent(Arc::new(store.clone())).await;
    assert_eq!(agent.resume("s").await.unwrap().status(), ExecutionStatus::Cancelled);
    let state = state_of(&store, &child_of(&store).await).await;
    let skipped = ToolOutcome::Skipped("that the agent that spawned it was stopped".to_owned());
    assert_eq!(outcomes(&state), [ToolOutcome::Interrupted, skipped]);
}

#[tokio::test]
async fn s7_7_a_subagent_that_somebody_holds_is_left_to_them_when_its_parent_is_stopped() {
    let store = MemoryStore::new();
    let agent = stopped_above_a_waiting_subagent(Arc::new(store.clone())).await;
    let child = child_of(&store).await;
    let held = store.claim(&child.as_str().into()).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
    assert_eq!(outcomes(run.state()), [ToolOutcome::Interrupted]);
    assert!(!state_of(&store, &child).await.status().unwrap().is_terminal());
    drop(held);
}

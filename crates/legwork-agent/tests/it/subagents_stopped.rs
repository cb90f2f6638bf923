//! Subagents whose parent is stopped, cancelled or out of time.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Control, Subagent};
use legwork_core::tool::ExecutionMode;
use legwork_core::{ExecutionStatus, StopReason, ToolOutcome};
use legwork_port::Store;
use legwork_testkit::{Gate, Turn};
use serde_json::json;

use crate::subagents::{child_of, scripted, spawn, state_of};
use crate::tools::{World, guarded, once, outcomes, spec, waiting};

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
    assert_eq!(
        agent.resume("s").outcome().await.unwrap().status(),
        ExecutionStatus::AwaitingApproval
    );
    agent.session("s").stop("never mind").await.unwrap();
    agent
}

#[tokio::test]
async fn s7_7_calls_of_a_subagent_that_did_not_begin_are_skipped_when_its_parent_is_stopped() {
    let store = MemoryStore::new();
    let agent = stopped_above_a_waiting_subagent(Arc::new(store.clone())).await;
    assert_eq!(agent.resume("s").outcome().await.unwrap().status(), ExecutionStatus::Cancelled);
    let state = state_of(&store, &child_of(&store).await).await;
    let skipped = ToolOutcome::Skipped("the agent that spawned it was stopped".to_owned());
    assert_eq!(outcomes(&state), [ToolOutcome::Interrupted, skipped]);
}

#[tokio::test]
async fn s7_7_a_subagent_that_somebody_holds_is_left_to_them_when_its_parent_is_stopped() {
    let store = MemoryStore::new();
    let agent = stopped_above_a_waiting_subagent(Arc::new(store.clone())).await;
    let child = child_of(&store).await;
    let held = store.claim(&child.as_str().into()).await.unwrap();
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
    assert_eq!(outcomes(run.state()), [ToolOutcome::Interrupted]);
    assert!(!state_of(&store, &child).await.status().unwrap().is_terminal());
    drop(held);
}

#[tokio::test]
async fn s7_7_cancelling_ends_subagents_and_keeps_what_they_used() {
    let (store, world, gate) = (MemoryStore::new(), World::default(), Gate::new());
    let root = scripted("x:root", [Turn::calls([spawn("a", "go")]), Turn::text("done")]);
    let child = scripted("x:child", [Turn::call("wait", json!({"n": 1})), Turn::text("never")]);
    let mode = legwork_core::tool::ExecutionMode::ParallelOrdered;
    let agent = Agent::builder(root)
        .tools([waiting("wait", mode, &world, &gate)])
        .subagent(Subagent::new("a", "Works.", "").model(child))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let control = Control::default();
    let canceller = async {
        gate.arrived(1).await;
        control.cancel.cancel();
    };
    let run = agent.run("go").in_session("s").control(control.clone());
    let (run, ()) = tokio::join!(async { run.outcome().await.unwrap() }, canceller);
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
    let child = state_of(&store, &child_of(&store).await).await;
    assert_eq!(child.status(), Some(&ExecutionStatus::Cancelled));
    assert_eq!(child.used().tool_calls, 1);
    assert_eq!(run.used().tool_calls, 2, "its own call and that of the subagent");
    // The session stays usable.
    assert_eq!(agent.session("s").run("again").await.unwrap().status(), ExecutionStatus::Completed);
}

#[tokio::test]
async fn s7_7_a_subagent_that_waits_is_cancelled_when_its_parent_is_stopped() {
    for new_task in [false, true] {
        let (store, world, gate) = (MemoryStore::new(), World::default(), Gate::new());
        let root = scripted("x:root", [Turn::calls([spawn("a", "go")]), Turn::text("done")]);
        let child = scripted("x:child", [Turn::call("send", json!({"n": 1})), Turn::text("ok")]);
        let spec = crate::tools::spec("send").effect(once());
        let agent = Agent::builder(root)
            .tools([crate::tools::guarded(spec, &world, &gate)])
            .subagent(Subagent::new("a", "Works.", "").model(child))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        {
            let mut run = Box::pin(async { agent.run("go").in_session("s").await });
            let began = gate.arrived(1);
            futures_util::future::select(&mut run, std::pin::pin!(began)).await;
        }
        assert_eq!(
            agent.resume("s").outcome().await.unwrap().status(),
            ExecutionStatus::AwaitingApproval
        );
        agent.session("s").stop("never mind").await.unwrap();
        let run = match new_task {
            true => agent.session("s").run("something else").await.unwrap(),
            false => agent.resume("s").outcome().await.unwrap(),
        };
        let status = [ExecutionStatus::Cancelled, ExecutionStatus::Completed];
        assert_eq!(run.status(), status[usize::from(new_task)]);
        // It waits for nobody any more, and what it used is known above, once.
        let state = state_of(&store, &child_of(&store).await).await;
        assert_eq!(state.status(), Some(&ExecutionStatus::Cancelled));
        assert!(state.pending().is_empty() && state.ledger().reserved.is_empty());
        assert_eq!(outcomes(&state), [ToolOutcome::Interrupted]);
        let answered = if new_task { 20 } else { 10 };
        assert_eq!(run.state().ledger().lifetime.input, answered + 10);
    }
}

#[tokio::test]
async fn s3_2_a_subagent_at_work_ends_with_the_time_of_its_parent() {
    let (store, clock) = (MemoryStore::new(), legwork_testkit::VirtualClock::auto());
    let root = scripted("x:root", [Turn::calls([spawn("a", "go")]), Turn::text("never")]);
    let child = scripted("x:child", [Turn::stall()]);
    let agent = Agent::builder(root)
        .subagent(Subagent::new("a", "Works.", "").model(child))
        .store_in(Arc::new(store.clone()))
        .clock(Arc::new(clock))
        .budget(legwork_core::Budget::unlimited().time(std::time::Duration::from_secs(25)))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::TimeLimit));
    let state = state_of(&store, &child_of(&store).await).await;
    assert!(state.status().unwrap().is_terminal(), "{:?}", state.status());
    assert!(state.ledger().reserved.is_empty());
}

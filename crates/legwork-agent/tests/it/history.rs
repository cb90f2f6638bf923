//! What became of past executions.

use std::sync::Arc;

use legwork_agent::capability::{ExecutionHistory, Guards};
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Override};
use legwork_core::{Budget, EffectClass, ExecutionStatus, StopReason};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock, crash};
use serde_json::json;

use crate::tools::{World, noting};

fn look() -> Turn {
    Turn::call("look", json!({"n": 1}))
}

#[tokio::test]
async fn each_execution_has_a_record_and_the_oldest_go() {
    let model =
        ScriptedModel::new([look(), Turn::text("one"), Turn::text("two"), Turn::text("three")]);
    let clock = Arc::new(VirtualClock::new());
    let agent = Agent::builder(model)
        .tool(noting("look", EffectClass::ReadOnly, &World::default()))
        .capability(ExecutionHistory::new().keep(2))
        .store_in(Arc::new(MemoryStore::new()))
        .clock(clock.clone())
        .build()
        .unwrap();
    let first = agent.run("go").in_session("one").await.unwrap();
    let [past] = &ExecutionHistory::of(first.state())[..] else { panic!() };
    assert_eq!((past.execution, past.status.as_str()), (1, "completed"));
    assert_eq!(past.reason, Some(StopReason::Completed));
    assert_eq!((past.steps, past.tool_calls), (2, 1));
    assert_eq!((past.input_tokens, past.output_tokens), (20, 10));
    clock.advance(std::time::Duration::from_secs(60));
    agent.run("go").in_session("one").await.unwrap();
    let third = agent.run("go").in_session("one").await.unwrap();
    let all = ExecutionHistory::of(third.state());
    let numbers: Vec<_> = all.iter().map(|past| past.execution).collect();
    assert_eq!(numbers, [2, 3]);
    assert_eq!(all[0].started_at.0, past.started_at.0 + 60_000);
    // It is journaled: whoever reads the session reads it.
    let read = agent.session("one").last_run().await.unwrap();
    assert_eq!(ExecutionHistory::of(read.state()), all);
}

#[tokio::test]
async fn an_execution_that_goes_on_after_a_limit_has_one_record() {
    let model = ScriptedModel::new([look(), look(), Turn::text("done")]);
    let agent = Agent::builder(model)
        .tool(noting("look", EffectClass::ReadOnly, &World::default()))
        .capability(ExecutionHistory::new())
        .capability(Guards::new().steps(1))
        .store_in(Arc::new(MemoryStore::new()))
        .build()
        .unwrap();
    let stopped = agent.run("go").in_session("one").outcome().await.unwrap();
    let [past] = &ExecutionHistory::of(stopped.state())[..] else { panic!() };
    assert_eq!((&past.status, past.steps), (&ExecutionStatus::Stopped, 1));
    assert_eq!(past.reason, Some(StopReason::StepsLimit));
    let more = agent.with_override(Override::new().budget(Budget::guards())).unwrap();
    let done = more.resume("one").await.unwrap();
    let [past] = &ExecutionHistory::of(done.state())[..] else { panic!() };
    assert_eq!((past.execution, past.steps), (1, 3));
    assert_eq!(past.status, ExecutionStatus::Completed);
}

#[tokio::test]
async fn s2_5_there_is_one_record_wherever_the_process_dies() {
    let make = |world: &World, store| {
        Agent::builder(ScriptedModel::new([look(), Turn::text("done")]))
            .tool(noting("look", crate::tools::once(), world))
            .capability(ExecutionHistory::new())
            .store_in(store)
            .build()
    };
    let report = crash::simulate("go", make).crash_everywhere().await.unwrap();
    report.check(|_, crashed| {
        let all = ExecutionHistory::of(&crashed.state);
        let ended: Vec<_> = all.iter().map(|past| (past.execution, past.status.as_str())).collect();
        match ended == [(1, "completed")] {
            true => Ok(()),
            false => Err(format!("{ended:?}")),
        }
    });
}

#[tokio::test]
async fn settings_say_how_many_records_are_kept() {
    for (settings, kept) in [(json!({"keep": 1}), vec![3]), (json!({}), vec![1, 2, 3])] {
        let agent = Agent::builder(ScriptedModel::new(["a", "b", "c"].map(Turn::text)))
            .capability(ExecutionHistory::from_settings(&settings).unwrap())
            .store_in(Arc::new(MemoryStore::new()))
            .build()
            .unwrap();
        for _ in 0..3 {
            agent.run("go").in_session("one").await.unwrap();
        }
        let state = agent.session("one").state().await.unwrap();
        let numbers: Vec<_> =
            ExecutionHistory::of(&state).iter().map(|past| past.execution).collect();
        assert_eq!(numbers, kept, "{settings}");
    }
}

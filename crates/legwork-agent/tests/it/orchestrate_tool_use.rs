//! One task with tools: the loop of an agent, without a session.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, hook};
use legwork_core::orchestrate::ToolUseState;
use legwork_core::{AgentState, Budget, EffectClass, ExecutionStatus, Progress as _, StopReason};
use legwork_orchestrate::{StepByStep as _, ToolUse};
use legwork_port::Trigger;
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::tools::{World, noting, said};

fn call(n: u32) -> Turn {
    Turn::call("look", json!({"n": n}))
}

fn looking(model: &ScriptedModel, world: &World) -> Builder {
    Agent::builder(model.clone())
        .tools([noting("look", EffectClass::ReadOnly, world)])
        .clock(Arc::new(VirtualClock::new()))
}

#[tokio::test]
async fn s4_2_a_task_uses_tools_hooks_and_limits_and_says_what_came_of_it() {
    let (model, world) =
        (ScriptedModel::new([call(1), call(2), Turn::text("done")]), World::default());
    let brief = hook("brief", [Trigger::ExecutionStart], |state: AgentState, _| async move {
        Ok(state.with_instructions("Be brief."))
    });
    let task = ToolUse::new(looking(&model, &world).hook(brief)).unwrap();
    let state = task.run("go").await.unwrap();
    assert_eq!((state.text(), state.step_count()), ("done".to_owned(), 3));
    assert_eq!(state.status(), Some(&ExecutionStatus::Completed));
    assert_eq!((state.used().input, state.used().tool_calls), (30, 2));
    assert_eq!(world.notes(), ["look 1", "look 2"]);
    assert_eq!(model.asked()[0].instructions, "Be brief.");

    let model = ScriptedModel::new([call(1), call(2)]);
    let limited = looking(&model, &world).budget(Budget::unlimited().steps(1));
    let state = ToolUse::new(limited).unwrap().run("go").await.unwrap();
    let outcome = state.continuation_outcome().unwrap();
    assert_eq!(outcome.stop_reason(), Some(&StopReason::StepsLimit));
}

#[tokio::test]
async fn s4_2_a_tasks_state_taken_through_serde_between_steps_ends_the_same() {
    let turns = || [call(1), call(2), call(3), Turn::text("done")];
    let task = |world: &World| ToolUse::new(looking(&ScriptedModel::new(turns()), world)).unwrap();
    let world = World::default();
    let whole = task(&world).run("go").await.unwrap();

    let world = World::default();
    let mut state = task(&world).iterate("go").await.unwrap().next().await.unwrap().unwrap();
    let mut lives = 1;
    while state.has_next() {
        let kept = serde_json::to_string(&state).unwrap();
        let read: ToolUseState = serde_json::from_str(&kept).unwrap();
        assert_eq!(read, state);
        state = task(&world).resume(read).await.unwrap().next().await.unwrap().unwrap();
        lives += 1;
    }
    let mut run = task(&world).resume(state).await.unwrap();
    assert!(run.next().await.unwrap().is_none(), "only the stop is left");
    let state = run.state();
    assert_eq!(lives, 4);
    assert_eq!(world.notes(), ["look 1", "look 2", "look 3"]);
    assert_eq!(state.used(), whole.used());
    let said = |state: &ToolUseState| said(&state.clone().into_agent_state());
    assert_eq!(said(state), said(&whole));
    assert_eq!(state.status(), whole.status());
}

#[tokio::test]
async fn s4_3_a_task_is_steered_set_and_cancelled_like_an_agent() {
    let (model, world) =
        (ScriptedModel::new([call(1), call(2), Turn::text("done")]), World::default());
    let task = ToolUse::new(looking(&model, &world)).unwrap();
    let mut run = task.iterate("go").await.unwrap();
    let first = run.next().await.unwrap().unwrap();
    run.steer("look left").await.unwrap();
    let second = run.next().await.unwrap().unwrap();
    let error = run.set(first).unwrap_err();
    assert!(error.to_string().contains("does not extend"), "{error}");
    run.set(second.with_message("look right")).unwrap();
    let state = run.finish().await.unwrap();
    let all = ["go", "1", "look left", "2", "look right", "done"];
    assert_eq!(said(&state.into_agent_state()), all);

    let model = ScriptedModel::new([Turn::text("never")]);
    let run = ToolUse::new(looking(&model, &world)).unwrap().iterate("go").await.unwrap();
    run.cancel();
    let state = run.finish().await.unwrap();
    assert_eq!(state.status(), Some(&ExecutionStatus::Cancelled));
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn s4_2_a_task_has_no_store_and_no_second_end() {
    let model = ScriptedModel::new([Turn::text("done")]);
    let stored = looking(&model, &World::default()).store_in(Arc::new(MemoryStore::new()));
    let error = ToolUse::new(stored).unwrap_err();
    assert!(error.to_string().contains("leave the store out"), "{error}");

    let task = ToolUse::new(looking(&model, &World::default())).unwrap();
    let state = task.run("go").await.unwrap();
    let error = task.resume(state).await.err().unwrap();
    assert!(error.to_string().contains("nothing is left to do"), "{error}");
}

//! Drivers: what they may hand back, and what all of them fire.

use std::sync::{Arc, Mutex};

use legwork_agent::driver::{Line, NoModel};
use legwork_agent::memory::MemoryStore;
use legwork_agent::{
    Agent, Control, Driver, HaltReason, ReAct, Scripted, StepContext, ToolCalling, executor, hook,
};
use legwork_core::continuation::ErrorPolicy;
use legwork_core::event::{InferenceStarted, Responded, ToolsShown};
use legwork_core::tool::FailureKind;
use legwork_core::{
    AgentState, EffectClass, Event, ExecutionStatus, FinishReason, Message, Part, Response,
    SessionId, ToolCall, ToolOutcome,
};
use legwork_port::Trigger;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::stepping::stepping;
use crate::tools::{World, journal, kind, noting, outcomes};

/// A driver that hands back a state it was not given.
fn strays(stray: Option<AgentState>) -> impl Driver {
    let stray = Mutex::new(stray);
    stepping(move |state, cx| {
        let stray = stray.lock().unwrap().replace(state.clone());
        Box::pin(async move {
            match stray {
                Some(stray) => Ok(stray),
                None => ToolCalling.use_tools(state, cx).await,
            }
        })
    })
}

#[tokio::test]
async fn s1_4_a_driver_that_hands_back_a_foreign_or_older_state_halts_the_run() {
    let foreign = AgentState::new(SessionId::new("another"));
    for (stray, journaled) in [(Some(foreign), 0), (None, 7)] {
        let store = MemoryStore::new();
        let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("never")]);
        let agent = Agent::builder(model)
            .tools([noting("look", EffectClass::ReadOnly, &World::default())])
            .driver(strays(stray))
            .store_in(Arc::new(store.clone()))
            .build()
            .unwrap();
        let error = agent.run("go").in_session("s").await.unwrap_err();
        assert!(matches!(error.halted(), Some(HaltReason::Lineage)), "{error}");
        assert!(error.to_string().contains("does not extend"), "{error}");
        let kinds = journal(&store, "s").await;
        assert!(kinds.len() <= journaled, "{kinds:?}");
    }
}

#[tokio::test]
async fn s2_2_all_drivers_fire_all_ten_methods() {
    let act = r#"{"thought": "t", "action": {"tool": "look", "arguments": {"n": 1}}}"#;
    let answer = r#"{"thought": "t", "answer": "done"}"#;
    let fail_once = |turn: Turn| turn.after([Turn::status(500)]);
    let calls = [Turn::call("look", json!({"n": 1})), fail_once(Turn::text("done"))];
    let decides = [Turn::text(act), fail_once(Turn::text(answer))];
    let lines = [
        Line::call("look", json!({"n": 1})),
        Line::from_fn(|state| match state.errors().count() {
            0 => Line::fails("no power"),
            _ => Line::text("done"),
        }),
    ];
    let drivers = [
        ("tool_calling", Agent::builder(ScriptedModel::new(calls)).driver(ToolCalling)),
        ("react", Agent::builder(ScriptedModel::new(decides)).driver(ReAct::new())),
        ("scripted", Agent::builder(NoModel).driver(Scripted::new(lines))),
    ];
    for (name, builder) in drivers {
        let fired = World::default();
        let noted = fired.clone();
        let all = hook("all", Trigger::ALL, move |state: AgentState, cx| {
            noted.note(cx.trigger.name());
            std::future::ready(Ok(state))
        });
        let run = builder
            .tools([noting("look", EffectClass::ReadOnly, &World::default())])
            .criterion(ErrorPolicy::retry_all(1))
            .hook(all)
            .build()
            .unwrap()
            .run("go")
            .await
            .unwrap();
        assert_eq!(run.text(), "done", "{name}");
        let [start, step, ask, heard] =
            ["on_execution_start", "on_step_start", "on_before_inference", "on_after_inference"];
        let [before, after, error] = ["on_before_tool_use", "on_after_tool_use", "on_error"];
        let [end, stop, over] = ["on_step_end", "on_before_stop", "on_execution_end"];
        let first = [start, step, ask, heard, before, after, end];
        let rest = [step, ask, error, end, step, ask, heard, end, stop, over];
        assert_eq!(fired.notes(), [&first[..], &rest[..]].concat(), "{name}");
        let of_steps = Trigger::ALL.iter().filter(|t| **t != Trigger::BeforeCompaction);
        assert!(of_steps.into_iter().all(|t| fired.count(t.name()) > 0), "{name}");
    }
}

/// The state with a response of two good calls and a bad one; then with an answer.
async fn responded(state: AgentState, cx: &StepContext) -> AgentState {
    let specs = Arc::clone(&cx.toolbox().all(&state).await.unwrap().specs);
    let tools = ToolsShown {
        digest: specs.digest().cloned(),
        specs: specs.iter().cloned().collect(),
        digests: specs.digests().to_vec(),
        instructions: None,
    };
    let (reserved, charged) = Default::default();
    let started = InferenceStarted { reserved, tools: Some(tools.into()), request: None };
    let look = |at: u32, n: &str| {
        let call = ToolCall::new(format!("call_{at}"), "look", format!("{{\"n\": {n}}}"));
        Part::ToolCall(Arc::new(call))
    };
    let parts = match state.step_results().count() {
        0 => vec![look(0, "1"), look(1, "\"no number\""), look(2, "2")],
        _ => vec![Part::text("done")],
    };
    let response = Response::new(Message::assistant(parts), FinishReason::Stop);
    let response = Arc::new(response);
    let state = state.with(Event::InferenceStarted(started));
    state.with(Event::Responded(Responded { response, charged }))
}

/// A driver that makes its own response and asks the executor at once.
fn hasty() -> impl Driver {
    stepping(|state, cx| {
        Box::pin(async move { executor::run(responded(state, cx).await, cx).await })
    })
}

/// The same, but it panics once its response is in the journal.
fn panicky() -> impl Driver {
    stepping(|state, cx| {
        Box::pin(async move {
            cx.commit(responded(state, cx).await).await?;
            panic!("no power")
        })
    })
}

#[tokio::test]
async fn s1_6_a_driver_that_panics_with_open_calls_has_them_answered_and_none_runs() {
    let (world, store) = (World::default(), Arc::new(MemoryStore::new()));
    let agent = Agent::builder(NoModel)
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .driver(panicky())
        .store_in(store)
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert!(run.state().errors().any(|error| error.message.contains("no power")));
    let all = outcomes(run.state());
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|one| !one.is_ok()), "{all:?}");
    assert!(world.notes().is_empty());
}

#[tokio::test]
async fn s7_1_the_executor_judges_what_a_driver_did_not() {
    let world = World::default();
    let gate = hook("gate", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        let call = state.current_tool_call().unwrap();
        let first = call.arguments["n"] == 1;
        Ok(if first { state.with_tool_call_blocked("gate", "no") } else { state })
    });
    let run = Agent::builder(NoModel)
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .driver(hasty())
        .hook(gate)
        .build()
        .unwrap()
        .run("go")
        .await
        .unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(world.notes(), ["look 2"]);
    let all = outcomes(run.state());
    assert!(matches!(&all[0], ToolOutcome::Blocked { by, .. } if by == "gate"), "{all:?}");
    assert_eq!(kind(all[1].clone()), FailureKind::InvalidArguments);
    assert_eq!(all[2], ToolOutcome::value(json!(2)));
}

/// A driver that cancels its run, and notes how it is controlled before and after.
fn looks(control: Control, world: World) -> impl Driver {
    stepping(move |state, cx| {
        world.note(format!("raised: {}", cx.control().is_raised()));
        control.cancel.cancel();
        world.note(format!("raised: {}", cx.control().is_raised()));
        ToolCalling.use_tools(state, cx)
    })
}

#[tokio::test]
async fn s7_7_a_driver_sees_that_its_run_is_cancelled() {
    let (control, world) = (Control::default(), World::default());
    let model = ScriptedModel::new([Turn::text("never")]);
    let agent = Agent::builder(model.clone()).driver(looks(control.clone(), world.clone()));
    let run = agent.build().unwrap().run("go").control(control).outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
    assert_eq!(world.notes(), ["raised: false", "raised: true"]);
    assert!(model.requests().is_empty());
}

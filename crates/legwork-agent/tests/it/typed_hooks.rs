//! Hooks with a type per trigger: each change takes effect, and none of them is refused.

use std::sync::{Arc, Mutex};

use legwork_agent::hook;
use legwork_agent::{Agent, Run};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::tool::ToolSelection;
use legwork_core::{
    Budget, Decision, EffectClass, ExecutionStatus, ModelSettings, Response, StopReason,
    StopSignal, ToolOutcome,
};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::{Value, json};

use crate::tools::{World, noting, said};

fn outcomes(run: &Run) -> Vec<ToolOutcome> {
    let executions = run.state().step_results().flat_map(|result| result.step.tool_executions());
    executions.map(|execution| (*execution.outcome).clone()).collect()
}

fn one_call() -> [Turn; 2] {
    [Turn::call("note", json!({"n": 1})), Turn::text("done")]
}

fn mark(key: &str) -> (String, Option<Value>) {
    (key.to_owned(), Some(Value::Bool(true)))
}

fn noted() -> ErrorRecord {
    ErrorRecord::new(ErrorSource::Hook("t".into()), ErrorKind::Hook, "noted")
}

fn settings() -> ModelSettings {
    ModelSettings { max_output: Some(77), ..ModelSettings::default() }
}

/// Every change of every point, in one run.
#[tokio::test]
async fn s2_3_no_change_of_a_typed_hook_is_refused() {
    let model = ScriptedModel::new(one_call());
    let world = World::default();
    let agent = Agent::builder(model.clone())
        .tool(noting("note", EffectClass::ReadOnly, &world))
        .budget(Budget::unlimited())
        .hook(hook::execution_start("t", async |at, _| {
            let (key, value) = mark("execution_start");
            at.with_metadata(key, value).with_message("m1").with_instructions("be brief")
        }))
        .hook(hook::step_start("t", async |at, _| {
            let (key, value) = mark("step_start");
            let at = at.with_metadata(key, value).with_tools(Some(ToolSelection::default()));
            at.with_error(noted()).with_budget(Budget::unlimited().steps(9))
        }))
        .hook(hook::before_inference("t", async |at, _| {
            let (key, value) = mark("before_inference");
            at.with_metadata(key, value)
                .with_settings(settings())
                .with_instructions("be very brief")
                .with_max_output(66)
        }))
        .hook(hook::after_inference("t", async |at, _| {
            let (key, value) = mark("after_inference");
            let response = at.response().cloned().unwrap();
            at.with_metadata(key, value).with_response(Response { id: None, ..response })
        }))
        .hook(hook::before_tool_use("t", async |call, _| {
            let (key, value) = mark("before_tool_use");
            assert_eq!(call.arguments(), &json!({"n": 1}));
            call.with_metadata(key, value).with_arguments(json!({"n": 2}))
        }))
        .hook(hook::after_tool_use("t", async |result, _| {
            let (key, value) = mark("after_tool_use");
            assert!(result.outcome().unwrap().is_ok());
            result.with_metadata(key, value).with_text("changed")
        }))
        .hook(hook::step_end("t", async |at, _| {
            let (key, value) = mark("step_end");
            at.with_metadata(key, value).vote(Decision::Allow).with_message("m2")
        }))
        .hook(hook::before_stop("t", async |at, _| {
            let (key, value) = mark("before_stop");
            assert_eq!(at.reason(), Some(&StopReason::Completed));
            at.with_metadata(key, value)
        }))
        .hook(hook::execution_end("t", async |at, _| {
            let (key, value) = mark("execution_end");
            assert_eq!(at.status(), Some(&ExecutionStatus::Completed));
            at.with_metadata(key, value).with_message("m3")
        }))
        .build()
        .unwrap();
    let run = agent.run("go").await.unwrap();

    let refused = run.state().errors().filter(|e| e.kind == ErrorKind::NotAllowed);
    assert_eq!(refused.collect::<Vec<_>>(), Vec::<&ErrorRecord>::new());
    let metadata = &run.state().context().metadata;
    for point in [
        "execution_start",
        "step_start",
        "before_inference",
        "after_inference",
        "before_tool_use",
        "after_tool_use",
        "step_end",
        "before_stop",
        "execution_end",
    ] {
        assert_eq!(metadata.get(point), Some(&Value::Bool(true)), "{point}");
    }
    assert_eq!(outcomes(&run), [ToolOutcome::text("changed")]);
    let first = &model.requests()[0];
    assert_eq!((&*first.instructions, first.max_output), ("be very brief", Some(66)));
    let lines = said(run.state());
    for line in ["m1", "m2", "m3"] {
        assert!(lines.iter().any(|said| said == line), "{line}: {lines:?}");
    }
}

#[tokio::test]
async fn s2_3_a_typed_hook_blocks_answers_and_keeps_what_is_blocked() {
    let world = World::default();
    let agent = |hooks: Vec<hook::Hook>| {
        let builder = Agent::builder(ScriptedModel::new(one_call()));
        let builder = builder.tool(noting("note", EffectClass::ReadOnly, &world));
        hooks.into_iter().fold(builder, |builder, hook| builder.hook(hook)).build().unwrap()
    };
    let gate = || hook::before_tool_use("gate", async |call, _| call.block("why")).priority(9);
    let answers = || hook::before_tool_use("answers", async |call, _| call.answer(json!("own")));

    let run = agent(vec![gate()]).run("go").await.unwrap();
    let blocked = ToolOutcome::Blocked { by: "gate".into(), reason: "why".into() };
    assert_eq!(outcomes(&run), std::slice::from_ref(&blocked));
    let run = agent(vec![answers()]).run("go").await.unwrap();
    assert_eq!(outcomes(&run), [ToolOutcome::value(json!("own"))]);
    let run = agent(vec![gate(), answers()]).run("go").await.unwrap();
    assert_eq!(outcomes(&run), [blocked]);
    assert_eq!(run.state().errors().count(), 0);
    let fails = hook::after_tool_use("fails", async |result, _| result.with_failure("no good"));
    let run = agent(vec![fails]).run("go").await.unwrap();
    assert_eq!(outcomes(&run), [ToolOutcome::failed("no good")]);
}

#[tokio::test]
async fn s2_3_a_typed_hook_that_fails_loses_its_change_and_a_gate_blocks() {
    let world = World::default();
    let list = hook::before_tool_use("list", async |call, _| match call.name() {
        "note" => Err(hook::Error::new("the list cannot be read")),
        _ => Ok(call.with_metadata("seen", Some(true.into()))),
    });
    let agent = Agent::builder(ScriptedModel::new(one_call()))
        .tool(noting("note", EffectClass::ReadOnly, &world))
        .hook(list.gate())
        .build()
        .unwrap();
    let run = agent.run("go").await.unwrap();
    assert!(matches!(&outcomes(&run)[..], [ToolOutcome::Blocked { .. }]), "{:?}", outcomes(&run));
    assert_eq!(run.state().context().metadata.get("seen"), None);
}

#[tokio::test]
async fn s2_3_a_typed_hook_prevents_a_stop_votes_and_asks_to_stop() {
    let prevented = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&prevented);
    let once = hook::before_stop("once", move |at: hook::Stop, _| {
        let mut count = counted.lock().unwrap();
        *count += 1;
        let at = if *count == 1 { at.prevent() } else { at };
        std::future::ready(at)
    });
    let agent = Agent::builder(ScriptedModel::new([Turn::text("one"), Turn::text("two")]));
    let run = agent.hook(once).build().unwrap().run("go").await.unwrap();
    assert_eq!((run.text().as_str(), *prevented.lock().unwrap()), ("two", 2));

    let ends = hook::step_end("ends", async |at, _| {
        assert!(at.outcome().is_some());
        at.vote(Decision::Forbid(StopSignal::new(StopReason::StopRequested, "ends", "enough")))
    });
    let stops = hook::after_inference("stops", async |at, _| at.stop("enough"));
    for hook in [ends, stops] {
        let agent = Agent::builder(ScriptedModel::new(one_call())).hook(hook).build().unwrap();
        let run = agent.run("go").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::Stopped);
        assert!(run.end().to_string().contains("enough"), "{}", run.end());
    }
}

#[tokio::test]
async fn s2_3_a_typed_hook_hears_of_an_error_and_votes_on_it() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&heard);
    let listens = hook::on_error("listens", move |at: hook::ErrorSeen, _| {
        list.lock().unwrap().extend(at.error().map(|error| error.message.clone()));
        std::future::ready(at)
    });
    let agent = Agent::builder(ScriptedModel::new([Turn::status(401)])).hook(listens);
    let run = agent.build().unwrap().run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert_eq!(*heard.lock().unwrap(), ["scripted status 401"]);
}

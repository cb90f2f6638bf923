//! Requests to run: futures like any other.

use std::sync::Arc;

use futures_util::future::{FutureExt as _, join_all};
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Error, hook};
use legwork_core::inference::ToolChoice;
use legwork_core::tool::ExecutionMode;
use legwork_core::{EffectClass, ModelSettings};
use legwork_orchestrate::{Chat, Collaboration, Participant, ToolUse};
use legwork_testkit::{Gate, Script, ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, noting, waiting};

fn call() -> Turn {
    Turn::call("look", json!({"n": 1}))
}

#[tokio::test]
async fn runs_are_futures_that_are_spawned_and_joined() {
    let model = ScriptedModel::new(Script::from_fn(|asked| Turn::text(asked.last())));
    let agent = Agent::builder(model).build().unwrap();
    let spawned = tokio::spawn(agent.run("alone"));
    let joined = join_all((0..20).map(|n| agent.run(format!("task {n}")))).await;
    for (n, run) in joined.into_iter().enumerate() {
        assert_eq!(run.unwrap().text(), format!("task {n}"));
    }
    assert_eq!(spawned.await.unwrap().unwrap().text(), "alone");

    let model = ScriptedModel::new(Script::from_fn(|asked| Turn::text(asked.last())));
    let tasks = ToolUse::new(Agent::builder(model)).unwrap();
    assert_eq!(tokio::spawn(tasks.run("a task")).await.unwrap().unwrap().text(), "a task");
    let chat = Chat::builder()
        .participant(Participant::scripted("Ann", ["DONE"]))
        .until_said("DONE")
        .build()
        .unwrap();
    let state = tokio::spawn(chat.run("go")).await.unwrap().unwrap();
    assert_eq!(state.transcript().len(), 2);
    let ann = Agent::builder(ScriptedModel::new([Turn::text("agreed")])).build().unwrap();
    let team = Collaboration::builder().member("Ann", "agrees", ann).turns(1).build().unwrap();
    assert!(tokio::spawn(team.run("agree")).await.unwrap().is_ok());
}

#[tokio::test]
async fn a_run_that_was_polled_is_not_opened_and_goes_on_as_a_stream() {
    let gate = Gate::new();
    let waits = waiting("look", ExecutionMode::default(), &World::default(), &gate);
    let polled = |session: &str| {
        let model = ScriptedModel::new([call(), Turn::text("done")]);
        let agent = Agent::builder(model).tools([waits.clone()]);
        let agent = agent.store_in(Arc::new(MemoryStore::new())).build().unwrap();
        let mut run = agent.run("go").in_session(session);
        assert!((&mut run).now_or_never().is_none());
        run
    };
    let error = polled("a").open().await.err().unwrap();
    assert!(matches!(error, Error::Begun), "{error}");
    let changed = polled("c").in_session("elsewhere").await.err().unwrap();
    assert!(matches!(changed, Error::Begun), "{changed}");
    let stream = polled("b").stream();
    gate.open();
    let run = stream.finish().await.unwrap();
    assert_eq!((run.text(), run.session().to_string()), ("done".to_owned(), "b".to_owned()));
}

#[tokio::test]
async fn s6_12_a_call_that_is_demanded_is_demanded_until_it_was_made() {
    let demanded = [ToolChoice::Required, ToolChoice::Named("look".to_owned())];
    for choice in demanded.into_iter().chain([ToolChoice::None, ToolChoice::Auto]) {
        let model = ScriptedModel::new([call(), Turn::text("done"), Turn::text("again")]);
        let settings = ModelSettings { tool_choice: Some(choice.clone()), ..Default::default() };
        let look = noting("look", EffectClass::ReadOnly, &World::default());
        let agent = Agent::builder(model.clone()).settings(settings).tools([look]);
        let agent = agent.store_in(Arc::new(MemoryStore::new())).build().unwrap();
        agent.run("go").in_session("s").await.unwrap();
        agent.run("go on").in_session("s").await.unwrap();
        let then = if choice == ToolChoice::None { ToolChoice::None } else { ToolChoice::Auto };
        let asked: Vec<_> = model.requests().into_iter().map(|asked| asked.tool_choice).collect();
        // Another execution demands it anew.
        assert_eq!(asked, [choice.clone(), then, choice]);
    }
}

#[tokio::test]
async fn s6_12_a_call_that_was_blocked_meets_a_demand() {
    for choice in [ToolChoice::Required, ToolChoice::Named("look".to_owned())] {
        let model = ScriptedModel::new([call(), Turn::text("it is not allowed")]);
        let settings = ModelSettings { tool_choice: Some(choice.clone()), ..Default::default() };
        let look = noting("look", EffectClass::ReadOnly, &World::default());
        let gate = hook::before_tool_use("gate", async |call, _| call.block("not today"));
        let agent = Agent::builder(model.clone()).settings(settings).tools([look]).hook(gate);
        let run = agent.build().unwrap().run("go").await.unwrap();
        assert_eq!(run.text(), "it is not allowed");
        let asked: Vec<_> = model.requests().into_iter().map(|asked| asked.tool_choice).collect();
        assert_eq!(asked, [choice, ToolChoice::Auto]);
    }
}

#[tokio::test]
async fn s1_11_s6_12_a_tool_that_is_demanded_in_mid_execution_is_demanded_then() {
    let submit = Turn::call("submit", json!({"n": 2}));
    let model = ScriptedModel::new([call(), submit, Turn::text("done")]);
    let world = World::default();
    let tools = ["look", "submit"].map(|name| noting(name, EffectClass::ReadOnly, &world));
    let agent = Agent::builder(model.clone()).tools(tools).build().unwrap();
    let mut run = agent.iterate("go").await.unwrap();
    let state = run.next().await.unwrap().unwrap();
    let demanded = ToolChoice::Named("submit".to_owned());
    let settings =
        ModelSettings { tool_choice: Some(demanded.clone()), ..state.settings().clone() };
    run.set(state.with_settings(settings)).unwrap();
    while run.next().await.unwrap().is_some() {}
    let asked: Vec<_> = model.requests().into_iter().map(|asked| asked.tool_choice).collect();
    assert_eq!(asked, [ToolChoice::Auto, demanded, ToolChoice::Auto]);
}

//! What a builder is given reaches the agent, and what is wrong is told when it is built.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder};
use legwork_core::{ExecutionStatus, OnDoubt, ToolOutcome};
use legwork_testkit::{Gate, ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, answering, guarded, once, outcomes, said, spec};

fn model(name: &str) -> ScriptedModel {
    ScriptedModel::new([Turn::text("done")]).named(name)
}

#[test]
fn s12_1_a_model_that_is_wanted_and_missing_is_told_with_those_there_are() {
    let wants = |name: &str| {
        Agent::builder(model("x:a"))
            .further_model(model("x:b"))
            .needs_model(name, "the skill `sum`")
    };
    for name in ["x:a", "x:b"] {
        assert!(wants(name).build().is_ok(), "{name}");
    }
    let error = wants("x:c").needs_model("x:a", "nobody").build().unwrap_err().to_string();
    let told = "the skill `sum` wants the model `x:c`, and the agent has x:a, x:b: give it that \
                model, too";
    assert!(error.contains(told), "{error}");
    assert!(!error.contains("nobody"), "{error}");
}

#[tokio::test]
async fn s6_11_a_tool_takes_the_place_of_the_one_of_its_name_or_is_added() {
    let says = |name, text: &'static str| answering(name, move |_| ToolOutcome::text(text));
    let calls = ["look", "smell"].map(|name| (name, json!({"n": 1})));
    let agent = Agent::builder(ScriptedModel::new([Turn::calls(calls), Turn::text("done")]))
        .tools([says("look", "old"), says("hear", "a bird")])
        .replace_tool(says("look", "new"))
        .replace_tool(says("smell", "roses"))
        .build()
        .unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(said(run.state()), ["go", "new", "roses", "done"]);
    let tools = agent.describe().await.tools;
    let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["look", "hear", "smell"]);
}

/// A session that died while its tool, which must not run twice, was at work.
async fn in_doubt(tell: impl Fn(Builder) -> Builder) -> (Agent, World) {
    let (world, gate) = (World::default(), Gate::new());
    let send = guarded(spec("send").effect(once()), &world, &gate);
    let script = ScriptedModel::new([Turn::call("send", json!({"n": 1})), Turn::text("done")]);
    let builder = Agent::builder(script).tools([send]).store_in(Arc::new(MemoryStore::new()));
    let agent = tell(builder).build().unwrap();
    tokio::select! {
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    gate.open();
    (agent, world)
}

#[tokio::test]
async fn s10_2_what_an_agent_says_of_calls_in_doubt_stands_unless_a_run_says_otherwise() {
    let (agent, _) = in_doubt(|builder| builder).await;
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingApproval, "its tool says `Ask`");

    let (agent, world) = in_doubt(|builder| builder.on_doubt(OnDoubt::Tell)).await;
    let run = agent.resume("s").await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(outcomes(run.state()), [ToolOutcome::Interrupted]);
    assert_eq!(world.count("send 1 ended"), 0);

    let (agent, _) = in_doubt(|builder| builder.on_doubt(OnDoubt::Tell)).await;
    let run = agent.resume("s").on_doubt(OnDoubt::Ask).outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
}

#[test]
fn s5_1_a_limit_on_money_wants_the_price_of_every_model_that_the_state_may_name() {
    let error = Agent::builder(model("x:a"))
        .further_model(model("x:b"))
        .budget(legwork_core::Budget::usd(1.0))
        .build()
        .unwrap_err()
        .to_string();
    for name in ["x:a", "x:b"] {
        assert!(error.contains(&format!("the price of `{name}` is not known")), "{error}");
    }
}

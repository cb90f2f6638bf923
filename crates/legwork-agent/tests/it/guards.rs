//! Guards by name, as a capability.

use legwork_agent::capability::{Guards, Registry};
use legwork_agent::{Agent, Error};
use legwork_core::{Budget, EffectClass, ExecutionStatus, StopReason};
use legwork_port::model::Profile;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::{Value, json};

use crate::tools::{World, noting};

/// A model that looks again and again, and says `done` at the end.
fn looks(times: usize) -> ScriptedModel {
    let mut turns = vec![Turn::call("look", json!({"n": 1})); times];
    turns.push(Turn::text("done"));
    ScriptedModel::new(turns)
}

fn agent(settings: Value, model: ScriptedModel) -> Result<Agent, Error> {
    let guards = Registry::shipped().make("guards", &settings).unwrap();
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    Agent::builder(model).tool(look).capabilities([guards]).build()
}

async fn reason(settings: Value, model: ScriptedModel) -> Option<StopReason> {
    let run = agent(settings, model).unwrap().run("go").await.unwrap();
    run.outcome().unwrap().stop_reason().cloned()
}

#[tokio::test]
async fn s3_6_guards_are_changed_by_name() {
    let steps = agent(json!({"steps": 2}), looks(5)).unwrap().run("go").await.unwrap();
    assert_eq!(steps.status(), ExecutionStatus::Stopped);
    assert_eq!(steps.outcome().unwrap().stop_reason(), Some(&StopReason::StepsLimit));
    assert_eq!(steps.state().step_results().count(), 2);
    let calls = reason(json!({"tool_calls": 3}), looks(5)).await;
    assert_eq!(calls, Some(StopReason::ToolCallsLimit));
    let tokens = reason(json!({"tokens": 20}), looks(5)).await;
    assert_eq!(tokens, Some(StopReason::TokenLimit));
}

#[tokio::test]
async fn s3_6_guards_are_switched_off_by_name_and_by_null() {
    for settings in [json!({"without": ["steps_limit"]}), json!({"steps": null})] {
        assert_eq!(reason(settings, looks(25)).await, Some(StopReason::Completed));
    }
    assert_eq!(reason(json!({}), looks(25)).await, Some(StopReason::StepsLimit));
    // What is switched off is no limit for a batch of calls either, nor for a subagent.
    let off = json!({"tool_calls": 1, "without": ["tool_calls_limit"]});
    assert_eq!(reason(off, looks(3)).await, Some(StopReason::Completed));
    let agent = agent(json!({"without": ["time_limit"]}), looks(1)).unwrap();
    assert_eq!(agent.definition().budget, Budget::unlimited().steps(20));
}

#[tokio::test]
async fn s3_6_a_guard_that_there_is_not_is_a_build_error_with_those_there_are() {
    let error = agent(json!({"without": ["step_limit"]}), looks(1)).unwrap_err().to_string();
    assert!(error.contains("there is no criterion `step_limit`: there are signals"), "{error}");
}

#[tokio::test]
async fn errors_and_retries_are_guards_too() {
    let fails = || ScriptedModel::new([Turn::text("done").after([Turn::status(500)])]);
    assert_eq!(reason(json!({}), fails()).await, Some(StopReason::Error));
    assert_eq!(reason(json!({"errors": 1}), fails()).await, Some(StopReason::Completed));
    let wrong = || {
        let turn = Turn::call("look", json!({"n": "one"}));
        ScriptedModel::new([turn.clone(), turn.clone(), turn.clone(), turn, Turn::text("done")])
    };
    assert_eq!(reason(json!({"errors": "stop"}), wrong()).await, Some(StopReason::Error));
    assert_eq!(reason(json!({"retries": 1}), wrong()).await, Some(StopReason::RetryLimit));
    assert_eq!(reason(json!({"errors": "ignore"}), wrong()).await, Some(StopReason::Completed));
}

#[tokio::test]
async fn a_limit_on_money_wants_a_price() {
    let error = agent(json!({"usd": 0.5}), looks(1)).unwrap_err().to_string();
    assert!(error.contains("the price of `scripted:model` is not known"), "{error}");
    let unpriced = looks(1).with_profile(Profile { tools: true, ..Profile::default() });
    let late = Agent::builder(unpriced).capability(Guards::new().usd(1.0));
    assert!(late.budget(Budget::guards()).build().is_ok(), "a limit given later wins");
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    for (settings, field) in [
        (json!({"active_time": -1}), "active_time"),
        (json!({"active_time": 1e300}), "active_time"),
        (json!({"usd": "1"}), "usd"),
        (json!({"usd": -0.5}), "usd"),
        (json!({"retries": 1_u64 << 40}), "retries"),
        (json!({"errors": true}), "errors"),
        (json!({"without": "steps_limit"}), "without"),
        (json!({"deadline": "tomorrow"}), "deadline"),
    ] {
        let error = Guards::from_settings(&settings).err().unwrap();
        assert!(error.starts_with(&format!("`{field}` takes ")), "{error}");
    }
}

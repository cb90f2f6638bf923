//! Guards by name, as a capability.

use std::sync::Arc;

use legwork_agent::capability::{Guards, Registry};
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Error};
use legwork_core::budget::{MicroUsd, Price};
use legwork_core::{
    Budget, EffectClass, ExecutionStatus, Micros, StopReason, Timestamp, ToolOutcome,
};
use legwork_port::model::{Ability, Profile};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::{Value, json};

use crate::tools::{World, made, noting, spec};

/// A model that looks again and again, and says `done` at the end.
fn looks(times: usize) -> ScriptedModel {
    let mut turns = vec![Turn::call("look", json!({"n": 1})); times];
    turns.push(Turn::text("done"));
    ScriptedModel::new(turns)
}

/// A model that costs nothing, which is a price.
fn free() -> ScriptedModel {
    let nothing = MicroUsd(0);
    let price = Price::new(nothing, nothing);
    looks(0).with_profile(Profile::new().with_prices(price))
}

fn agent(settings: Value, model: ScriptedModel) -> Result<Agent, Error> {
    let guards = Registry::shipped().make("guards", &settings).unwrap();
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    Agent::builder(model).tool(look).capabilities([guards]).build()
}

async fn reason(settings: Value, model: ScriptedModel) -> Option<StopReason> {
    let run = agent(settings, model).unwrap().run("go").outcome().await.unwrap();
    run.continuation().unwrap().stop_reason().cloned()
}

#[tokio::test]
async fn s3_6_guards_are_changed_by_name() {
    let steps = agent(json!({"steps": 2}), looks(5)).unwrap().run("go").outcome().await.unwrap();
    assert_eq!(steps.status(), ExecutionStatus::Stopped);
    assert_eq!(steps.continuation().unwrap().stop_reason(), Some(&StopReason::StepsLimit));
    assert_eq!(steps.state().step_results().count(), 2);
    let calls = reason(json!({"tool_calls": 3}), looks(5)).await;
    assert_eq!(calls, Some(StopReason::ToolCallsLimit));
    let tokens = reason(json!({"tokens": 20}), looks(5)).await;
    assert_eq!(tokens, Some(StopReason::TokenLimit));
}

#[test]
fn s3_6_each_limit_of_a_program_and_of_settings_reaches_the_budget_alone() {
    let none = Budget::guards();
    let seconds = std::time::Duration::from_secs;
    let limits = [
        (Guards::new().steps(7), json!({"steps": 7}), Budget { steps: Some(7), ..none.clone() }),
        (
            Guards::new().tool_calls(7),
            json!({"tool_calls": 7}),
            Budget { tool_calls: Some(7), ..none.clone() },
        ),
        (
            Guards::new().input_tokens(7),
            json!({"input_tokens": 7}),
            Budget { input_tokens: Some(7), ..none.clone() },
        ),
        (
            Guards::new().output_tokens(7),
            json!({"output_tokens": 7}),
            Budget { output_tokens: Some(7), ..none.clone() },
        ),
        (
            Guards::new().tokens(7),
            json!({"tokens": 7}),
            Budget { total_tokens: Some(7), ..none.clone() },
        ),
        (
            Guards::new().time(seconds(7)),
            json!({"time": "7s"}),
            Budget { active_time: Some(Micros(7_000_000)), ..none.clone() },
        ),
        (
            Guards::new().deadline(Timestamp(7)),
            json!({"deadline": 7}),
            Budget { deadline: Some(Timestamp(7)), ..none.clone() },
        ),
        (
            Guards::new().steps(9).without("steps_limit"),
            json!({"steps": 9, "without": ["steps_limit"]}),
            Budget { steps: None, ..none.clone() },
        ),
    ];
    for (guards, settings, budget) in limits {
        let of_settings = agent(settings.clone(), looks(0)).unwrap();
        assert_eq!(of_settings.definition().budget, budget, "{settings}");
        let of_program = Agent::builder(looks(0)).capability(guards).build().unwrap();
        assert_eq!(of_program.definition().budget, budget, "{settings}");
    }
    let usd = Agent::builder(free()).capability(Guards::new().usd(0.5)).build().unwrap();
    assert_eq!(usd.definition().budget, Budget { cost: Some(MicroUsd(500_000)), ..none });
}

/// What a session comes to whose tool takes seven seconds, run twice.
async fn twice(guards: Guards) -> Vec<ExecutionStatus> {
    let clock = VirtualClock::new();
    let hand = clock.clone();
    let slow = made(spec("look").effect(EffectClass::ReadOnly), move |_, _| {
        hand.advance(std::time::Duration::from_secs(7));
        Box::pin(std::future::ready(ToolOutcome::text("seen")))
    });
    let look = || Turn::call("look", json!({"n": 1}));
    let model = ScriptedModel::new([look(), Turn::text("one"), look(), Turn::text("two")]);
    let agent = Agent::builder(model).tool(slow).clock(Arc::new(clock)).capability(guards);
    let agent = agent.store_in(Arc::new(MemoryStore::new())).build().unwrap();
    let mut ended = Vec::new();
    for task in ["a", "b"] {
        ended.push(agent.run(task).in_session("s").outcome().await.unwrap().status());
    }
    ended
}

#[tokio::test]
async fn s3_6_time_is_limited_in_an_execution_or_in_all_of_a_session() {
    let ten = std::time::Duration::from_secs(10);
    let (completed, stopped) = (ExecutionStatus::Completed, ExecutionStatus::Stopped);
    assert_eq!(twice(Guards::new().time(ten)).await, [completed.clone(), completed.clone()]);
    assert_eq!(twice(Guards::new().time_in_session(ten)).await, [completed, stopped]);
    let settings = Guards::from_settings(&json!({"session_time": "10s"})).unwrap();
    assert_eq!(twice(settings).await.last(), Some(&ExecutionStatus::Stopped));
}

#[test]
fn s3_6_a_criterion_that_is_switched_off_takes_its_limits_along() {
    let full = Budget {
        tool_calls: Some(1),
        input_tokens: Some(2),
        output_tokens: Some(3),
        total_tokens: Some(4),
        cost: Some(MicroUsd(6)),
        deadline: Some(Timestamp(5)),
        ..Budget::guards()
    };
    let none = || full.clone();
    let taken = [
        ("steps_limit", Budget { steps: None, ..none() }),
        ("tool_calls_limit", Budget { tool_calls: None, ..none() }),
        (
            "token_limit",
            Budget { input_tokens: None, output_tokens: None, total_tokens: None, ..none() },
        ),
        ("cost_limit", Budget { cost: None, ..none() }),
        ("time_limit", Budget { active_time: None, ..none() }),
        ("deadline", Budget { deadline: None, ..none() }),
        ("errors", none()),
    ];
    for (name, budget) in taken {
        let off = Guards::new().without(name);
        let agent = Agent::builder(free()).budget(full.clone()).capability(off).build().unwrap();
        assert_eq!(agent.definition().budget, budget, "{name}");
    }
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
    let unpriced = looks(1).with_profile(Profile::new().with(Ability::Tools));
    let late = Agent::builder(unpriced).capability(Guards::new().usd(1.0));
    assert!(late.budget(Budget::guards()).build().is_ok(), "a limit given later wins");
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    for (settings, field) in [
        (json!({"time": -1}), "time"),
        (json!({"time": "soon"}), "time"),
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

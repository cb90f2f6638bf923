//! What steps, executions, sessions and trees cost.

use std::sync::Arc;

use legwork::Subagent;
use legwork::agent::memory::MemoryStore;
use legwork::core::budget::{Amounts, MicroUsd, Price};
use legwork::core::{FinishReason, ModelSettings, Usage};
use legwork::model::layers::ModelExt as _;
use legwork::port::{Ability, EventKind, Profile};
use legwork::prelude::*;
use legwork_testkit::{RecordingObserver, Script, ScriptedModel, Turn};
use serde_json::json;

/// A million tokens in cost a dollar, as many out two.
fn priced(turns: impl IntoIterator<Item = Turn>) -> ScriptedModel {
    let (input, output) = (MicroUsd(1_000_000), MicroUsd(2_000_000));
    let price = Price::new(input, output);
    let profile = Profile::new().with(Ability::Tools).with_prices(price);
    ScriptedModel::new(turns.into_iter().collect::<Vec<_>>()).with_profile(profile)
}

fn used(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}

/// An agent that asks its helper, answers, and answers a second task.
fn with_helper() -> Agent {
    let child = priced([Turn::text("42").with_usage(used(1_000, 100))]);
    let spawn = json!({"agent": "helper", "prompt": "Think."});
    let model = priced([
        Turn::call("spawn_subagent", spawn).with_usage(used(100, 10)),
        Turn::text("done").with_usage(used(200, 20)),
        Turn::text("again").with_usage(used(300, 30)),
    ]);
    Agent::builder(model)
        .subagent(Subagent::new("helper", "Helps.", "Help.").model(child))
        .store_in(Arc::new(MemoryStore::new()))
        .build()
        .unwrap()
}

#[tokio::test]
async fn s5_7_each_step_execution_session_and_tree_says_what_it_cost() {
    let agent = with_helper();
    let run = agent.run("Go.").in_session("s").await.unwrap();
    let steps: Vec<Amounts> = run.state().step_results().map(|result| result.step.used).collect();
    let money = |used: &Amounts| (used.input, used.output, used.cost.0);
    let of_steps: Vec<_> = steps.iter().map(money).collect();
    // The step that ran the subagent holds what that used.
    assert_eq!(of_steps, [(1_100, 110, 1_320), (200, 20, 240)]);
    let sum = steps.iter().fold(Amounts::default(), |sum, step| sum.plus(step));
    assert_eq!(sum, *run.used());
    assert!(steps.iter().all(|step| step.active_time.0 > 0), "{steps:?}");
    let run = agent.session("s").run("And again.").await.unwrap();
    assert_eq!(money(run.used()), (300, 30, 360));
    assert_eq!(money(run.session_used()), (1_600, 160, 1_920));
    // What is folded from the journal says the same.
    let last = agent.session("s").state().await.unwrap();
    let of_last: Vec<_> = last.step_results().map(|result| money(&result.step.used)).collect();
    assert_eq!(of_last, [(300, 30, 360)]);
}

#[tokio::test]
async fn s5_7_events_say_what_each_step_execution_session_and_tree_cost() {
    let agent = with_helper();
    let seen = RecordingObserver::new();
    for task in ["Go.", "And again."] {
        agent.run(task).in_session("s").observer(seen.clone()).await.unwrap();
    }
    let costs: Vec<_> = seen
        .events()
        .iter()
        .filter_map(|event| {
            let below = !event.path.is_empty();
            let costs = match &event.kind {
                EventKind::StepFinished { used, .. } => vec![used.cost.0],
                EventKind::SubagentFinished { used, .. } => vec![used.cost.0],
                EventKind::ExecutionFinished(end) => vec![end.used.cost.0, end.session_used.cost.0],
                _ => return None,
            };
            Some((event.kind.name(), below, costs))
        })
        .collect();
    let expected = [
        ("step_finished", true, vec![1_200]),
        ("execution_finished", true, vec![1_200, 1_200]),
        ("subagent_finished", false, vec![1_200]),
        // The step that ran the subagent holds what that used.
        ("step_finished", false, vec![1_320]),
        ("step_finished", false, vec![240]),
        ("execution_finished", false, vec![1_560, 1_560]),
        ("step_finished", false, vec![360]),
        ("execution_finished", false, vec![360, 1_920]),
    ];
    assert_eq!(costs, expected);
}

#[tokio::test]
async fn s5_3_an_answer_that_a_fallback_discards_is_charged_at_its_own_price() {
    // A token costs one and two micros here, ten times as much there.
    let (input, output) = (MicroUsd(10_000_000), MicroUsd(20_000_000));
    let profile = Profile::new().with_prices(Price::new(input, output));
    let dear = ScriptedModel::new([Turn::text("yes").with_usage(used(100, 10))]);
    let dear = dear.named("dear:model").with_profile(profile);
    for (usage, cost) in [(Some(used(1_000, 100)), 1_200), (None, 0)] {
        let no = Turn::text("no");
        let no = usage.map_or(no.clone().without_usage(), |usage| no.with_usage(usage));
        let both = priced([no]).with_fallback(dear.clone()).when(|answer| answer.text() == "no");
        let settings = ModelSettings { max_output: Some(1_000), ..ModelSettings::default() };
        let agent = Agent::builder(both).settings(settings).build().unwrap();
        let run = agent.run("Well?").await.unwrap();
        let (charged, answer) = (run.used(), 100 * 10 + 10 * 20);
        assert_eq!(charged.estimated, usage.is_none());
        match usage {
            Some(_) => assert_eq!((charged.input, charged.cost.0), (1_100, answer + cost)),
            None => assert!(charged.cost.0 > answer + 1_200, "as much as was held: {charged:?}"),
        }
    }
}

#[tokio::test]
async fn s5_3_an_answer_is_continued_only_as_long_as_its_limits_allow_another_part() {
    let cut = || Turn::text("on and on").with_finish(FinishReason::Length).with_usage(used(10, 5));
    let settings = ModelSettings { max_output: Some(1_000), ..ModelSettings::default() };
    for (limit, asked) in [(9_000, 6), (3_000, 3), (1_999, 1)] {
        let model = ScriptedModel::new(Script::from_fn(move |_| cut()));
        let agent = Agent::builder(model.clone().with_continuation(5))
            .settings(settings.clone())
            .budget(Budget::unlimited().output_tokens(limit))
            .build()
            .unwrap();
        let run = agent.run("Go.").outcome().await.unwrap();
        assert_eq!(model.requests().len(), asked, "{limit}");
        assert_eq!(run.used().output, 5 * asked as u64);
    }
}

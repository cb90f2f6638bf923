//! What steps, executions, sessions and trees cost.

use std::sync::Arc;

use legwork::Subagent;
use legwork::agent::memory::MemoryStore;
use legwork::core::budget::{Amounts, MicroUsd, Price};
use legwork::core::{FinishReason, ModelSettings, Usage};
use legwork::model::layers::ModelExt as _;
use legwork::port::{Ability, Profile};
use legwork::prelude::*;
use legwork_testkit::{Script, ScriptedModel, Turn};
use serde_json::json;

/// A million tokens in cost a dollar, as many out two.
fn priced(turns: impl IntoIterator<Item = Turn>) -> ScriptedModel {
    let (input, output) = (MicroUsd(1_000_000), MicroUsd(2_000_000));
    let price = Price { input, cache_read: input, cache_write: input, output };
    let profile = Profile::new().with(Ability::Tools).with_prices(price);
    ScriptedModel::new(turns.into_iter().collect::<Vec<_>>()).with_profile(profile)
}

fn used(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}

#[tokio::test]
async fn s5_7_each_step_execution_session_and_tree_says_what_it_cost() {
    let store = MemoryStore::new();
    let child = priced([Turn::text("42").with_usage(used(1_000, 100))]);
    let spawn = json!({"agent": "helper", "prompt": "Think."});
    let model = priced([
        Turn::call("spawn_subagent", spawn).with_usage(used(100, 10)),
        Turn::text("done").with_usage(used(200, 20)),
        Turn::text("again").with_usage(used(300, 30)),
    ]);
    let agent = Agent::builder(model)
        .subagent(Subagent::new("helper", "Helps.", "Help.").model(child))
        .store_in(Arc::new(store))
        .build()
        .unwrap();
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
    let lifetime = run.state().ledger().lifetime;
    assert_eq!(money(&lifetime), (1_600, 160, 1_920));
    // What is folded from the journal says the same.
    let last = agent.session("s").state().await.unwrap();
    let of_last: Vec<_> = last.step_results().map(|result| money(&result.step.used)).collect();
    assert_eq!(of_last, [(300, 30, 360)]);
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

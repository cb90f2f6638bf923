//! Prices that change with the length of the input.

use legwork_agent::Agent;
use legwork_core::budget::{MicroUsd, Price, Prices};
use legwork_core::{Budget, ModelSettings, Usage};
use legwork_port::Profile;
use legwork_testkit::{ScriptedModel, Turn};

/// A token costs so many millionths of a dollar, whatever it is.
fn each(micros: u64) -> Price {
    let million = MicroUsd(micros * 1_000_000);
    Price::new(million, million)
}

/// One millionth a token, ten where the input has more than 1,000.
fn tiered(turn: Turn) -> ScriptedModel {
    let prices = Prices::flat(each(1)).above(1_000, each(10));
    ScriptedModel::new([turn]).with_profile(Profile::new().with_prices(prices))
}

fn used(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}

async fn cost(turn: Turn, task: &str) -> u64 {
    let agent = Agent::builder(tiered(turn)).budget(Budget::usd(1.0)).build().unwrap();
    agent.run(task).await.unwrap().used().cost.0
}

#[tokio::test]
async fn s11_10_all_tokens_of_a_long_input_cost_what_its_tier_says() {
    let turn = |input| Turn::text("done").with_usage(used(input, 50));
    assert_eq!(cost(turn(1_000), "go").await, 1_050);
    assert_eq!(cost(turn(1_001), "go").await, 10_510);
}

#[tokio::test]
async fn s11_10_a_long_input_is_reserved_at_its_price() {
    // Two thousand tokens in at ten millionths leave room for three thousand out.
    let model = tiered(Turn::text("done"));
    let settings = ModelSettings { max_output: Some(90_000), ..ModelSettings::default() };
    let agent = Agent::builder(model.clone()).settings(settings).budget(Budget::usd(0.05));
    agent.build().unwrap().run("x".repeat(6_000)).await.unwrap();
    let request = &model.requests()[0];
    let input = request.estimated_tokens();
    assert!((2_000..2_100).contains(&input), "{input}");
    assert_eq!(request.max_output, Some((50_000 - 10 * input) / 10));
}

#[tokio::test]
async fn s11_10_without_a_usage_the_estimate_chooses_the_tier() {
    let short = cost(Turn::text("done").without_usage(), "go").await;
    let long = cost(Turn::text("done").without_usage(), &"x".repeat(6_000)).await;
    assert!(short < 100, "{short}");
    assert!(long > 20_000, "{long}");
}

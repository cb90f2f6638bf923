//! What an agent is charged for a model of several.

use legwork_agent::Agent;
use legwork_core::message::Author;
use legwork_core::{Budget, Usage};
use legwork_models::layers::{MemoryCache, ModelExt as _, Switch};
use legwork_port::Model;
use legwork_testkit::{ScriptedModel, Turn};

use super::priced;

fn used() -> Turn {
    Turn::text("done").with_usage(Usage { input: 100, output: 10, ..Usage::default() })
}

fn dear(turn: Turn) -> ScriptedModel {
    ScriptedModel::new([turn]).named("a:dear").with_profile(priced(10, 20))
}

fn cheap() -> ScriptedModel {
    ScriptedModel::new([used()]).named("b:cheap").with_profile(priced(1, 2))
}

/// What a run cost, in micro-dollars, and who answered.
async fn cost(model: impl Model + 'static) -> (u64, Option<Author>) {
    let agent = Agent::builder(model).budget(Budget::usd(1.0)).build().unwrap();
    let run = agent.run("hi").await.unwrap();
    let cost = run.state().ledger().spent.cost;
    let answer = run.state().final_response().unwrap();
    (cost.0, answer.message.author.clone())
}

fn by(name: &str) -> Option<Author> {
    Some(Author::Model(name.into()))
}

#[tokio::test]
async fn s5_3_a_fallback_is_charged_at_the_price_of_the_model_that_answered() {
    let model = dear(used()).with_fallback(cheap());
    assert_eq!(cost(model).await, (100 * 10 + 10 * 20, by("a:dear")));
    let model = dear(Turn::status(529)).with_fallback(cheap());
    assert_eq!(cost(model).await, (100 + 10 * 2, by("b:cheap")));
}

#[tokio::test]
async fn s5_3_layers_around_a_fallback_do_not_change_the_price() {
    let model = dear(Turn::status(529)).with_fallback(cheap());
    let cache = MemoryCache::of_bytes(1 << 20);
    let model = model.with_concurrency(2).with_cache(cache.clone()).with_continuation(1);
    assert_eq!(cost(model.clone()).await, (100 + 10 * 2, by("b:cheap")));
    assert_eq!(cost(model).await, (0, by("b:cheap")), "from the cache");
}

#[tokio::test]
async fn s5_3_a_switch_is_charged_at_the_price_of_the_chosen_model() {
    let model = Switch::by(|_| 1, dear(used())).or(cheap());
    assert_eq!(cost(model).await, (100 + 10 * 2, by("b:cheap")));
}

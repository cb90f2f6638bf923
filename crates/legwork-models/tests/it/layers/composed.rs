//! Layers around layers.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use legwork_models::layers::{
    Breaker, Breaking, MemoryCache, ModelExt as _, Permits, RateLimit, RateLimiting, TimingOut,
};
use legwork_models::retry::{Policy, Retrying};
use legwork_port::model::Model;
use legwork_testkit::{Gate, ScriptedModel, Turn, VirtualClock};

use super::{ask, passed, request, seconds, shared, stream};

#[tokio::test]
async fn a_timeout_inside_a_breaker_inside_a_fallback() {
    let clock = VirtualClock::auto();
    let silent = ScriptedModel::new([Turn::stall()]).named("a:silent");
    let first = TimingOut::new(silent.clone(), seconds(10), shared(&clock));
    let first = Breaking::new(first, Breaker::after(1).open_for(seconds(60)), shared(&clock));
    let model = first.with_fallback(ScriptedModel::new([Turn::text("two")]).named("b:second"));
    let (answer, heard) = stream(&model).await;
    let answer = answer.unwrap();
    assert_eq!((answer.text().as_str(), answer.charged_attempts), ("two", 1));
    assert_eq!((heard.retries, passed(&clock)), (vec![(1, false, 1)], 10));
    assert_eq!(ask(&model).await.unwrap().charged_attempts, 0, "it is open, and costs no time");
    assert_eq!((silent.requests().len(), passed(&clock)), (1, 10));
}

#[tokio::test]
async fn attempts_are_counted_through_a_retry_and_a_fallback() {
    let clock = VirtualClock::auto();
    let policy = || Policy::default().with_max_retries(2);
    let retrying = |turn| Retrying::new(ScriptedModel::new([turn]), policy(), shared(&clock));
    let both = retrying(Turn::status(503))
        .with_fallback(retrying(Turn::text("two").after([Turn::status(503)])))
        .with_retries(2);
    let (answer, heard) = stream(&both).await;
    assert_eq!(answer.unwrap().text(), "two");
    let attempts: Vec<_> = heard.retries.iter().map(|(attempt, ..)| *attempt).collect();
    assert_eq!(attempts, [1, 2, 3, 4], "three of the first model, one of the second");
}

#[tokio::test]
async fn many_at_once_through_a_cache_a_concurrency_limit_and_a_rate_limit() {
    let clock = VirtualClock::auto();
    let scripted = ScriptedModel::new([Turn::text("done")]);
    let limit = RateLimit::per_minute().requests(10);
    let model = RateLimiting::new(scripted.clone(), limit, shared(&clock));
    let model = Arc::new(model.with_concurrency(3).with_cache(MemoryCache::of_bytes(1 << 20)));
    let texts: Vec<_> = (0..20).map(|at| format!("question {at}")).collect();
    let answers = join_all(texts.iter().map(|text| model.infer(request(text), None))).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!((scripted.requests().len(), passed(&clock)), (20, 60));
    let again = join_all(texts.iter().map(|text| model.infer(request(text), None))).await;
    assert!(again.iter().all(Result::is_ok));
    assert_eq!((scripted.requests().len(), passed(&clock)), (20, 60), "from the cache");
}

#[tokio::test]
async fn dropping_the_outermost_gives_everything_back() {
    let clock = VirtualClock::new();
    let (permits, gate) = (Permits::new(1), Gate::new());
    let turn = Turn::text("it halts here").halting(&gate);
    let model = ScriptedModel::new([turn]).with_concurrency(permits.clone());
    let model = TimingOut::new(model, seconds(10), shared(&clock));
    let model = model.with_fallback(ScriptedModel::new([Turn::text("two")]));
    let mut heard = super::Heard::default();
    let mut call = model.infer(request("hi"), Some(&mut heard));
    assert!((&mut call).now_or_never().is_none());
    assert_eq!(clock.sleepers(), 1);
    drop(call);
    assert_eq!((heard.pieces, clock.sleepers()), (1, 0));
    assert_eq!(format!("{permits:?}"), "Permits { free: 1, waiting: 0 }");
}

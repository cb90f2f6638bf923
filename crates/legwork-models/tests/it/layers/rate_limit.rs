//! So many requests and tokens a minute.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use legwork_core::{ModelRequest, Usage};
use legwork_models::layers::{RateLimit, RateLimiting};
use legwork_port::model::{Error, Kind, Model};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};

use super::{ask, passed, request, seconds, shared};

fn limited(turn: Turn, limit: &RateLimit, clock: &VirtualClock) -> RateLimiting<ScriptedModel> {
    RateLimiting::new(ScriptedModel::new([turn]), limit.clone(), shared(clock))
}

fn uses(input: u64, output: u64) -> Turn {
    Turn::text("done").with_usage(Usage { input, output, ..Usage::default() })
}

/// A request that is estimated at so many tokens.
fn sized(tokens: u64) -> ModelRequest {
    let mut request = ModelRequest::blank(Arc::default());
    request.max_output = Some(tokens);
    request
}

#[tokio::test]
async fn a_minute_s_worth_of_requests_goes_at_once_and_then_by_time() {
    let clock = VirtualClock::auto();
    let model = limited(uses(1, 1), &RateLimit::per_minute().requests(4), &clock);
    let at = |_| async {
        ask(&model).await.unwrap();
        passed(&clock)
    };
    assert_eq!(join_all((0..6).map(at)).await, [0, 0, 0, 0, 15, 30]);
}

#[tokio::test]
async fn tokens_are_those_that_were_used_once_that_is_known() {
    let clock = VirtualClock::auto();
    let model = limited(uses(100, 100), &RateLimit::per_minute().tokens(1_000), &clock);
    for _ in 0..2 {
        // Estimated at all there is; used 200 of it.
        model.infer(sized(800), None).await.unwrap();
    }
    assert_eq!(passed(&clock), 0);
    model.infer(sized(800), None).await.unwrap();
    assert_eq!(passed(&clock), 12, "200 of 600 are missing, at 1000 a minute");
}

#[tokio::test]
async fn more_than_was_estimated_is_owed() {
    let clock = VirtualClock::auto();
    let model = limited(uses(1_000, 1_000), &RateLimit::per_minute().tokens(1_000), &clock);
    model.infer(sized(10), None).await.unwrap();
    model.infer(sized(500), None).await.unwrap();
    assert_eq!(passed(&clock), 90);
}

#[tokio::test]
async fn a_request_larger_than_the_limit_waits_for_a_minute_s_worth() {
    let clock = VirtualClock::auto();
    let model = limited(uses(1_000, 0), &RateLimit::per_minute().tokens(1_000), &clock);
    model.infer(sized(9_000), None).await.unwrap();
    model.infer(sized(9_000), None).await.unwrap();
    assert_eq!(passed(&clock), 60);
}

#[tokio::test]
async fn a_request_that_failed_used_no_tokens() {
    let clock = VirtualClock::auto();
    let model = limited(Turn::status(400), &RateLimit::per_minute().tokens(100), &clock);
    for _ in 0..5 {
        model.infer(sized(100), None).await.unwrap_err();
    }
    assert_eq!(passed(&clock), 0);
    let error = Error { charged_attempts: 1, ..Error::new(Kind::Server, "cut") };
    let model = limited(Turn::error(error), &RateLimit::per_minute().tokens(100), &clock);
    model.infer(sized(100), None).await.unwrap_err();
    model.infer(sized(100), None).await.unwrap_err();
    assert_eq!(passed(&clock), 60, "unless it may have cost money");
}

#[tokio::test]
async fn those_that_wait_go_in_order_and_one_that_leaves_takes_nothing() {
    let clock = VirtualClock::new();
    let model = limited(uses(0, 100), &RateLimit::per_minute().tokens(100), &clock);
    model.infer(sized(100), None).await.unwrap();
    let mut large = model.infer(sized(100), None);
    let mut small = model.infer(sized(10), None);
    assert!((&mut large).now_or_never().is_none() && (&mut small).now_or_never().is_none());
    clock.advance(seconds(30));
    assert!((&mut small).now_or_never().is_none(), "the large one was first");
    drop(large);
    small.now_or_never().unwrap().unwrap();
    assert_eq!(clock.sleepers(), 0);
}

#[tokio::test]
async fn the_answer_of_a_dropped_inference_is_given_back() {
    let clock = VirtualClock::new();
    let limit = RateLimit::per_minute().tokens(1_000);
    let stuck = limited(Turn::stall(), &limit, &clock);
    for _ in 0..3 {
        assert!(stuck.infer(sized(1_000), None).now_or_never().is_none(), "it is sent");
    }
    assert!(format!("{:?}", limit).contains("level: 60000000000"), "{limit:?}");
}

#[tokio::test]
async fn models_that_share_a_limit_wait_for_each_other() {
    let clock = VirtualClock::auto();
    let limit = RateLimit::per_minute().requests(1);
    let (one, other) = (limited(uses(1, 1), &limit, &clock), limited(uses(1, 1), &limit, &clock));
    ask(&one).await.unwrap();
    ask(&other).await.unwrap();
    assert_eq!(passed(&clock), 60);
}

#[tokio::test]
async fn all_wait_when_the_provider_says_that_its_limit_is_exceeded() {
    let clock = VirtualClock::auto();
    let full = Error { retry_after: Some(seconds(7)), ..Error::new(Kind::RateLimited, "later") };
    let turn = Turn::text("done").after([Turn::error(full)]);
    let model = limited(turn, &RateLimit::per_minute().requests(60), &clock);
    assert!(ask(&model).await.is_err());
    model.infer(request("again"), None).await.unwrap();
    assert_eq!(passed(&clock), 7);
}

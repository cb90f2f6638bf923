//! Time limits of inferences.

use legwork_core::inference::Incomplete;
use legwork_models::layers::{Timeout, TimingOut};
use legwork_models::retry::{Policy, Retrying};
use legwork_port::model::{Error, Kind};
use legwork_testkit::{Gate, ScriptedModel, Turn, VirtualClock};

use super::{ask, passed, seconds, shared, stream};

fn within(limit: impl Into<Timeout>, turn: Turn, clock: &VirtualClock) -> TimingOut<ScriptedModel> {
    TimingOut::new(ScriptedModel::new([turn]), limit, shared(clock))
}

#[tokio::test]
async fn an_answer_in_time_is_returned_as_it_is() {
    let clock = VirtualClock::new();
    let limit = Timeout::of(seconds(30)).first_delta(seconds(5));
    let model = within(limit, Turn::text("done"), &clock);
    assert_eq!(ask(&model).await.unwrap().text(), "done");
    let (answer, heard) = stream(&model).await;
    assert_eq!((answer.unwrap().text().as_str(), heard.text.as_str()), ("done", "done"));
    assert_eq!(clock.sleepers(), 0, "no sleep is left behind");
}

#[tokio::test]
async fn an_answer_that_takes_too_long_is_an_error_that_may_have_cost_money() {
    let clock = VirtualClock::auto();
    let model = within(seconds(30), Turn::stall(), &clock);
    let error = ask(&model).await.unwrap_err();
    assert_eq!((error.kind, error.charged_attempts), (Kind::Timeout, 1));
    assert!(error.message.contains("longer than 30s"), "{error}");
    assert_eq!((passed(&clock), clock.sleepers()), (30, 0));
}

#[tokio::test]
async fn the_first_piece_has_a_limit_of_its_own_if_the_answer_is_streamed() {
    let clock = VirtualClock::auto();
    let limit = Timeout::of(seconds(30)).first_delta(seconds(5));
    let model = within(limit, Turn::stall(), &clock);
    let (answer, heard) = stream(&model).await;
    assert!(answer.unwrap_err().message.contains("first piece"));
    assert_eq!((heard.pieces, passed(&clock)), (0, 5));
    assert!(ask(&model).await.is_err());
    assert_eq!(passed(&clock), 35, "an answer that is not streamed has no pieces");
}

#[tokio::test]
async fn what_was_shown_of_an_answer_is_returned_incomplete() {
    let clock = VirtualClock::auto();
    let limit = Timeout::of(seconds(30)).first_delta(seconds(5));
    let turn = Turn::text("it hangs here").with_thinking("hm").halting(&Gate::new());
    let (answer, heard) = stream(&within(limit, turn, &clock)).await;
    let answer = answer.unwrap();
    assert_eq!(answer.incomplete, Some(Incomplete::Cut));
    assert_eq!((answer.usage, answer.charged_attempts), (None, 0), "what came is counted");
    assert_eq!((heard.pieces, passed(&clock)), (1, 30), "a piece of thinking");
    assert_eq!(answer.message.parts.len(), 1);

    let call = Turn::call("look", serde_json::json!({"at": "the sky"})).halting(&Gate::new());
    let (answer, _) = stream(&within(seconds(30), call, &clock)).await;
    let answer = answer.unwrap();
    let call = answer.message.tool_calls().next().unwrap();
    assert_eq!(&*call.name, "look");
    assert_ne!(answer.incomplete, None, "it never runs");
}

#[tokio::test]
async fn time_between_attempts_costs_nothing() {
    let clock = VirtualClock::auto();
    let error = Error { charged_attempts: 1, ..Error::new(Kind::Server, "full") };
    let slow = Policy::default().with_first_wait(seconds(60)).with_longest_wait(seconds(60));
    let model = ScriptedModel::new([Turn::error(error)]);
    let retrying = Retrying::new(model, slow, shared(&clock));
    let error = ask(&TimingOut::new(retrying, seconds(20), shared(&clock))).await.unwrap_err();
    assert_eq!((error.kind, error.charged_attempts), (Kind::Timeout, 1), "the one that failed");
}

#[tokio::test]
async fn a_retry_around_it_asks_again() {
    let clock = VirtualClock::auto();
    let model = within(seconds(30), Turn::text("done").after([Turn::stall()]), &clock);
    let model = Retrying::new(model, Policy::default(), shared(&clock));
    let (answer, heard) = stream(&model).await;
    let answer = answer.unwrap();
    assert_eq!((answer.text().as_str(), answer.charged_attempts), ("done", 1));
    assert_eq!(heard.retries, [(1, false, 1)]);
}

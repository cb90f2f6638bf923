//! Circuit breakers.

use futures_util::FutureExt as _;
use legwork_core::inference::Incomplete;
use legwork_models::layers::{Breaker, Breaking, ModelExt as _};
use legwork_models::retry::{Policy, Retrying};
use legwork_port::model::{Kind, Model};
use legwork_testkit::{Gate, ScriptedModel, Turn, VirtualClock};

use super::{ask, passed, request, seconds, shared, stream};

/// Opens after two failures, for ten seconds.
fn behind(turn: Turn, clock: &VirtualClock) -> (ScriptedModel, Breaking<ScriptedModel>) {
    let scripted = ScriptedModel::new([turn]);
    let breaker = Breaker::after(2).open_for(seconds(10));
    (scripted.clone(), Breaking::new(scripted, breaker, shared(clock)))
}

fn failing(times: usize) -> Turn {
    Turn::text("back").after(vec![Turn::status(503); times])
}

#[tokio::test]
async fn it_opens_after_failures_in_a_row_and_says_when_it_asks_again() {
    let clock = VirtualClock::new();
    let (scripted, model) = behind(failing(2), &clock);
    for _ in 0..2 {
        assert_eq!(ask(&model).await.unwrap_err().kind, Kind::Server);
    }
    clock.advance(seconds(4));
    let error = ask(&model).await.unwrap_err();
    assert_eq!((error.kind, error.retry_after), (Kind::Unreachable, Some(seconds(6))));
    assert!(error.message.contains("asked again in 6.0s"), "{error}");
    assert_eq!((scripted.requests().len(), error.charged_attempts), (2, 0), "nothing is sent");
    clock.advance(seconds(6));
    assert_eq!(ask(&model).await.unwrap().text(), "back");
    assert_eq!(ask(&model).await.unwrap().text(), "back");
}

#[tokio::test]
async fn a_success_between_and_errors_that_do_not_pass_close_it() {
    let clock = VirtualClock::new();
    let (fails, works) = (|| Turn::status(503), || Turn::text("fine"));
    let turns = [fails(), works(), fails(), Turn::status(400), fails(), works()];
    let (scripted, model) = behind(works().after(turns), &clock);
    for _ in 0..7 {
        let _ = ask(&model).await;
    }
    assert_eq!(scripted.requests().len(), 7, "it never opened");
}

#[tokio::test]
async fn an_answer_that_breaks_off_counts() {
    let clock = VirtualClock::new();
    let (_, model) = behind(Turn::text("cut here").incomplete(Incomplete::Cut), &clock);
    for _ in 0..2 {
        let (answer, heard) = stream(&model).await;
        assert!(answer.is_ok() && heard.pieces > 0);
    }
    assert_eq!(ask(&model).await.unwrap_err().kind, Kind::Unreachable);
}

#[tokio::test]
async fn one_probe_decides() {
    let clock = VirtualClock::new();
    let gate = Gate::new();
    let slow = Turn::status(503).behind(&gate);
    let turn = Turn::text("back").after([Turn::status(503), Turn::status(503), slow]);
    let (scripted, model) = behind(turn, &clock);
    let _ = (ask(&model).await, ask(&model).await);
    clock.advance(seconds(10));
    let mut probe = model.infer(request("hi"), None);
    assert!((&mut probe).now_or_never().is_none());
    let error = ask(&model).await.unwrap_err();
    assert!(error.message.contains("a request is under way"), "{error}");
    gate.open();
    assert_eq!(probe.await.unwrap_err().kind, Kind::Server);
    let error = ask(&model).await.unwrap_err();
    assert_eq!(error.retry_after, Some(seconds(10)), "it is open again");
    assert_eq!(scripted.requests().len(), 3);
}

#[tokio::test]
async fn a_probe_that_is_dropped_makes_the_next_one_the_probe() {
    let clock = VirtualClock::new();
    let turns = [Turn::status(503), Turn::status(503), Turn::stall()];
    let (_, model) = behind(Turn::text("back").after(turns), &clock);
    let _ = (ask(&model).await, ask(&model).await);
    clock.advance(seconds(10));
    assert!(model.infer(request("hi"), None).now_or_never().is_none());
    assert_eq!(ask(&model).await.unwrap().text(), "back");
}

#[tokio::test]
async fn what_was_sent_before_it_opened_says_nothing_about_now() {
    let clock = VirtualClock::new();
    let gate = Gate::new();
    let late = Turn::text("late").behind(&gate);
    let (_, model) =
        behind(Turn::text("back").after([late, Turn::status(503), Turn::status(503)]), &clock);
    let mut first = model.infer(request("hi"), None);
    assert!((&mut first).now_or_never().is_none());
    let _ = (ask(&model).await, ask(&model).await);
    gate.open();
    assert_eq!(first.await.unwrap().text(), "late");
    assert_eq!(ask(&model).await.unwrap_err().kind, Kind::Unreachable, "it is still open");
}

#[tokio::test]
async fn a_retry_around_it_waits_until_it_asks_again() {
    let clock = VirtualClock::auto();
    let (scripted, model) = behind(failing(2), &clock);
    let model = Retrying::new(model, Policy::default(), shared(&clock));
    assert_eq!(ask(&model).await.unwrap().text(), "back");
    assert_eq!(scripted.requests().len(), 3);
    assert!(passed(&clock) >= 10);
}

#[tokio::test]
async fn a_fallback_around_it_asks_the_other_at_once() {
    let clock = VirtualClock::new();
    let (scripted, model) = behind(failing(9), &clock);
    let both = model.with_fallback(ScriptedModel::new([Turn::text("two")]).named("b:second"));
    for _ in 0..5 {
        assert_eq!(ask(&both).await.unwrap().text(), "two");
    }
    assert_eq!(scripted.requests().len(), 2);
}

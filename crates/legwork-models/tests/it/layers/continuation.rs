//! Answers that are continued.

use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Role};
use legwork_models::layers::{Continuation, ModelExt as _};
use legwork_models::retry::{Policy, Retrying};
use legwork_port::model::Model;
use legwork_port::{Clock, Profile};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use super::{Heard, ask, request, shared, stream};

fn cut(text: &str) -> Turn {
    Turn::text(text).with_finish(FinishReason::Length)
}

#[tokio::test]
async fn the_parts_are_one_answer() {
    let scripted = ScriptedModel::new([cut("one, "), Turn::text("three").after([cut("two, ")])]);
    let model = scripted.clone().with_continuation(5);
    let (answer, heard) = stream(&model).await;
    let answer = answer.unwrap();
    assert_eq!(
        (answer.text().as_str(), heard.text.as_str()),
        ("one, two, three", "one, two, three")
    );
    assert_eq!((answer.finish, answer.message.parts.len()), (FinishReason::Stop, 1));
    let usage = answer.usage.unwrap();
    assert_eq!((usage.input, usage.output), (30, 15));
    let last = scripted.requests().pop().unwrap();
    let said: Vec<_> = last.messages().iter().map(|one| (one.role.clone(), one.text())).collect();
    assert_eq!(said.len(), 3);
    assert_eq!(said[1], (Role::Assistant, "one, two, ".to_owned()));
    assert!(said[2].1.contains("Continue exactly"));
}

#[tokio::test]
async fn it_is_continued_so_often_at_most() {
    let scripted = ScriptedModel::new([cut("one, "), cut("two, "), cut("three, ")]);
    let answer = ask(&scripted.clone().with_continuation(1)).await.unwrap();
    assert_eq!((answer.text().as_str(), answer.finish), ("one, two, ", FinishReason::Length));
    assert_eq!(scripted.requests().len(), 2);
}

#[tokio::test]
async fn only_text_is_continued() {
    let call = Turn::call("look", json!({})).with_finish(FinishReason::Length);
    let in_call = Turn::call("look", json!({"at": 1})).incomplete(Incomplete::LengthInCall);
    let broken = cut("it breaks").incomplete(Incomplete::Cut);
    for turn in [call, in_call, broken, cut("")] {
        let scripted = ScriptedModel::new([turn, Turn::text("more")]);
        ask(&scripted.clone().with_continuation(3)).await.unwrap();
        assert_eq!(scripted.requests().len(), 1);
    }
    // A call may be what is left.
    let scripted = ScriptedModel::new([cut("I look: "), Turn::call("look", json!({}))]);
    let answer = ask(&scripted.with_continuation(3)).await.unwrap();
    assert_eq!((answer.text().as_str(), answer.message.tool_calls().count()), ("I look: ", 1));
    assert_eq!(answer.finish, FinishReason::ToolCalls);
}

#[tokio::test]
async fn the_limit_of_the_request_holds_for_all_parts() {
    let turns = [cut("one, "), cut("four").after([cut("two, "), cut("three, ")])];
    let profile = Profile::new().with_max_output(6);
    let scripted = ScriptedModel::new(turns).with_profile(profile);
    let model = scripted.clone().with_continuation(9);
    assert_eq!(model.profile().max_output, Some(60), "what a budget reserves");
    let mut limited = request("hi");
    limited.max_output = Some(12);
    // Each part says that it used five.
    assert_eq!(model.infer(limited, None).await.unwrap().text(), "one, two, three, ");
    let limits: Vec<_> = scripted.requests().iter().map(|one| one.max_output).collect();
    assert_eq!(limits, [Some(6), Some(6), Some(2)]);

    let parts = scripted.clone().with_continuation(Continuation::times(1).parts_of(3));
    assert_eq!(parts.profile().max_output, Some(6));
}

#[tokio::test]
async fn what_came_is_returned_if_a_further_part_fails() {
    let model = ScriptedModel::new([cut("one, "), Turn::status(503)]).with_continuation(2);
    let answer = ask(&model).await.unwrap();
    assert_eq!((answer.text().as_str(), answer.finish), ("one, ", FinishReason::Length));
    let model = ScriptedModel::new([Turn::status(503)]).with_continuation(2);
    assert!(ask(&model).await.is_err());
}

#[tokio::test]
async fn a_receiver_that_breaks_ends_it() {
    let scripted = ScriptedModel::new([cut("one, "), cut("two, ")]);
    let mut heard = Heard { breaks_at: Some(3), ..Heard::default() };
    let model = scripted.clone().with_continuation(9);
    let answer = model.infer(request("hi"), Some(&mut heard)).await.unwrap();
    assert_eq!((answer.text(), answer.incomplete), (heard.text, Some(Incomplete::OverReserve)));
    assert_eq!(scripted.requests().len(), 2);
}

#[tokio::test]
async fn a_further_part_that_is_asked_again_does_not_lose_the_parts_before() {
    let clock = VirtualClock::auto();
    let again = Turn::text("three").after([Turn::text("two and").incomplete(Incomplete::Cut)]);
    let model = ScriptedModel::new([cut("one, "), again]);
    let model = Retrying::new(model, Policy::default(), shared(&clock)).with_continuation(1);
    let (answer, heard) = stream(&model).await;
    let answer = answer.unwrap();
    assert_eq!((answer.text().as_str(), heard.text.as_str()), ("one, three", "one, three"));
    // The request for the first part is held beside the failed attempt, and charged by its usage.
    assert_eq!((heard.retries, answer.charged_attempts), (vec![(1, true, 2)], 1));
    assert!(clock.mono().0 > 0);
}

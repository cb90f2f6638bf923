use futures_util::FutureExt as _;
use rmcp::model::{ElicitRequestParams, ElicitationSchema};
use serde_json::json;

use super::*;

fn question(message: &str) -> Question {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let requested_schema: ElicitationSchema = serde_json::from_value(schema).unwrap();
    let message = message.to_owned();
    let params =
        ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    Question::of(&params).unwrap()
}

fn given(message: &str) -> Vec<Given> {
    vec![Given::new(&question(message), json!({"a": "so"}))]
}

#[test]
fn s18_17_the_question_of_a_call_that_was_cut_off_is_no_other_calls() {
    let asked = Asked::default();
    let (one, mut other) = (asked.listen(Vec::new()), asked.listen(Vec::new()));
    let mut answer = Box::pin(asked.answer(question("Which?")));
    assert_eq!(answer.as_mut().now_or_never(), None);
    drop(one);
    let answer = answer.now_or_never().unwrap();
    assert_eq!(answer, None);
    assert!(other.question().now_or_never().is_none());
}

#[test]
fn s18_17_a_question_that_nobody_waits_for_is_no_other_calls() {
    let asked = Asked::default();
    let (one, mut other) = (asked.listen(Vec::new()), asked.listen(Vec::new()));
    let mut answer = Box::pin(asked.answer(question("Which?")));
    assert_eq!(answer.as_mut().now_or_never(), None);
    drop(answer);
    one.answered();
    assert!(other.question().now_or_never().is_none());
}

#[test]
fn s18_17_the_question_of_the_call_that_is_left_ends_it() {
    let asked = Asked::default();
    let (one, mut other) = (asked.listen(Vec::new()), asked.listen(Vec::new()));
    let mut answer = Box::pin(asked.answer(question("Which?")));
    assert_eq!(answer.as_mut().now_or_never(), None);
    one.answered();
    assert_eq!(answer.as_mut().now_or_never(), None);
    assert_eq!(other.question().now_or_never().unwrap().question.words(), "Which?");
    drop(other);
    assert_eq!(answer.now_or_never().unwrap(), None);
}

#[test]
fn s18_17_an_answer_is_given_once_and_to_its_question_alone() {
    let asked = Asked::default();
    let mut call = asked.listen(given("Which?"));
    let answer = asked.answer(question("Which?")).now_or_never().unwrap();
    assert_eq!(answer, Some(json!({"a": "so"})));
    assert_eq!(asked.answer(question("Which?")).now_or_never(), None);
    assert_eq!(call.question().now_or_never().unwrap().question.words(), "Which?");
}

#[test]
fn s18_17_what_a_call_asks_while_a_person_has_its_question_comes_after_it() {
    let asked = Asked::default();
    let mut call = asked.listen(Vec::new());
    let mut first = Box::pin(asked.answer(question("Which?")));
    let mut second = Box::pin(asked.answer(question("How many?")));
    assert_eq!((first.as_mut().now_or_never(), second.as_mut().now_or_never()), (None, None));
    let asks = call.question().now_or_never().unwrap();
    assert!(call.is_alone());
    assert!(asks.answer(json!({"a": "so"})));
    call.goes_on();
    assert_eq!(first.now_or_never().unwrap(), Some(json!({"a": "so"})));
    assert_eq!(call.question().now_or_never().unwrap().question.words(), "How many?");
}

#[test]
fn s18_17_of_many_questions_those_are_kept_that_a_call_may_ask() {
    let asked = Asked::default();
    let _call = asked.listen(Vec::new());
    let ask = |n: usize| Box::pin(asked.answer(question(&format!("Which {n}?"))));
    // The first is handed to the call, and the others wait until it goes on.
    let mut open: Vec<_> = (0..=QUESTIONS).map(ask).collect();
    assert!(open.iter_mut().all(|answer| answer.as_mut().now_or_never().is_none()));
    assert_eq!(ask(QUESTIONS + 1).now_or_never(), Some(None), "one too many is dismissed");
}

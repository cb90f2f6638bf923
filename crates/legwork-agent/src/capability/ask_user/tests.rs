use legwork_core::state::{Pending, PendingReason};
use legwork_core::{EffectKey, Seq, SessionId, Timestamp, ToolCall};
use serde_json::json;

use super::{Question, Refused};

fn colours() -> Question {
    Question::new("Which colour?").with_choices(["red", "Green", "green"])
}

#[test]
fn s7_8_a_choice_is_read_by_its_words_in_any_case_or_by_its_number() {
    let question = colours();
    for (text, choice) in
        [("red", "red"), (" RED\n", "red"), ("green", "green"), ("GREEN", "Green"), ("2", "Green")]
    {
        assert_eq!(question.read(text).as_deref(), Ok(choice), "{text:?}");
    }
    assert_eq!(question.read(" \n"), Err(Refused::Empty));
}

#[test]
fn s7_8_what_is_not_offered_is_refused_with_the_choices() {
    let refused = colours().read("blue").unwrap_err();
    let words = "\"blue\" is none of the choices: 1 red, 2 Green, 3 green";
    assert_eq!(refused.to_string(), words);
    for number in ["0", "4", "-1"] {
        assert!(colours().read(number).is_err(), "{number}");
    }
    assert_eq!(colours().with_free_text().read("blue").as_deref(), Ok("blue"));
    assert_eq!(Question::new("Why?").read("7").as_deref(), Ok("7"));
}

#[test]
fn a_number_that_is_a_choice_is_that_choice() {
    let question = Question::new("How many?").with_choices(["3", "2", "1"]);
    assert_eq!(question.read("3").as_deref(), Ok("3"));
    assert_eq!(question.read("1").as_deref(), Ok("1"));
}

#[test]
fn questions_that_cannot_be_asked_say_why() {
    let wrong = |question: Question| question.problem().unwrap_or_default();
    assert_eq!(colours().problem(), None);
    assert!(wrong(Question::new(" ")).contains("is empty"));
    assert!(wrong(Question::new("x".repeat(4_001))).contains("4001 characters"));
    let many = (0..21).map(|number| number.to_string());
    assert!(wrong(Question::new("?").with_choices(many)).contains("21 choices"));
    for choice in ["", " a", "a\nb", &*"x".repeat(201)] {
        let words = wrong(Question::new("?").with_choices(["a", choice]));
        assert!(words.starts_with("Choice 2 is "), "{choice:?}: {words}");
    }
    assert!(
        wrong(Question::new("?").with_choices(["a", "b", "a"])).contains("Choice 3 is there twice")
    );
}

#[test]
fn only_a_call_of_the_tool_that_waits_for_its_result_is_a_question() {
    let key = EffectKey { session: SessionId::new("s"), entry: Seq(4), index: 0 };
    let arguments = json!({"question": "Why?"}).to_string();
    let pending = |tool: &str, reason| {
        let call = ToolCall::new("c1", tool, arguments.as_str());
        let arguments = arguments.as_str().into();
        Pending::new(&key, &call, &arguments, None, reason, Seq(4), Timestamp(1))
    };
    let asked = Question::of(&pending("ask_user", PendingReason::External));
    assert_eq!(asked, Some(Question::new("Why?")));
    assert_eq!(Question::of(&pending("ask_user", PendingReason::Approval)), None);
    assert_eq!(Question::of(&pending("photo", PendingReason::External)), None);
}

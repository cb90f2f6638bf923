//! S11.1, S11.3, S12.1: what cannot stand in a conversation or a journal is refused.

use std::sync::Arc;

use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_core::inference::Incomplete;
use legwork_core::message::{Malformed, ProviderData, ToolResult};
use legwork_core::state::{Input, Refusal};
use legwork_core::{
    AgentState, Event, FinishReason, Message, Part, Response, Role, ToolCall, ToolOutcome,
    Transcript,
};
use serde_json::{Value, json};

use crate::story::{asks, blank, go_on, respond, says, tell, transcript};

/// Messages by what is in them, as in `hi; calls c0, c1; result c0`.
fn told(story: &str) -> Vec<Message> {
    let call = |id: &str| Part::ToolCall(Arc::new(ToolCall::new(id, "look", "{}")));
    let result = |id: &str| Part::ToolResult(ToolResult::new(id, "look", "seen"));
    let message = |line: &str| match line.split_once(' ').unwrap_or((line, "")) {
        ("calls", ids) => Message::assistant(ids.split(", ").map(call).collect()),
        ("result", ids) => Message::new(Role::Tool, ids.split(", ").map(result).collect()),
        ("user-calls", ids) => Message::new(Role::User, ids.split(", ").map(call).collect()),
        ("user-result", id) => Message::new(Role::User, vec![result(id)]),
        ("both", id) => Message::assistant(vec![call(id), result(id)]),
        _ => Message::user(line),
    };
    story.split("; ").map(message).collect()
}

fn deep() -> Value {
    (0..110).fold(Value::Null, |inner, _| json!([inner]))
}

fn open(call: &str) -> Malformed {
    Malformed::OpenCall { call: call.into(), tool: "look".into() }
}

fn lone(call: &str) -> Malformed {
    Malformed::LoneResult { call: call.into() }
}

/// What a story is refused for, none if it is well formed.
fn wrong(story: &str) -> Option<Malformed> {
    let messages: Vec<_> = told(story).into_iter().map(Arc::new).collect();
    Transcript::check(&messages).err()
}

#[test]
fn s11_1_a_whole_exchange_is_well_formed() {
    for story in [
        "hi",
        "hi; calls c0; result c0",
        "calls c0, c1; result c0; result c1; go on",
        "calls c0, c1; result c0, c1",
        // Results in another order, and what was said between, take their places.
        "calls c0, c1; result c1; hurry; result c0",
        "calls c0; result c0; calls c0; result c0",
    ] {
        assert_eq!(wrong(story), None, "{story}");
        let input = Input::Start(told(story));
        let state = blank().decide(input).unwrap().into_iter().fold(blank(), AgentState::with);
        assert!(state.context().transcript.settled().is_some(), "{story}");
        assert_eq!(transcript(&state).len(), told(story).len(), "{story}: nothing vanished");
    }
}

#[test]
fn s11_1_s12_1_what_is_not_an_exchange_is_refused_and_says_what_to_do() {
    for (story, expected) in [
        ("hi; calls c0", open("c0")),
        ("calls c0, c1; result c0; go on", open("c1")),
        ("calls c0; result c9", open("c0")),
        ("result c0", lone("c0")),
        ("hi; result c0; calls c1; result c1", lone("c0")),
        ("calls c0; result c0; result c0", lone("c0")),
        ("user-calls c0; result c0", Malformed::MisplacedCall { role: Role::User }),
        ("calls c0; user-result c0", Malformed::MisplacedResult { role: Role::User }),
        ("both c0", Malformed::MisplacedResult { role: Role::Assistant }),
    ] {
        assert_eq!(wrong(story), Some(expected.clone()), "{story}");
        let refused = blank().decide(Input::Start(told(story))).unwrap_err();
        assert_eq!(refused, Refusal::Malformed(expected), "{story}");
    }
    let words = open("c0").to_string();
    assert!(words.contains("c0") && words.contains("look") && words.contains("give the result"));
    assert!(lone("c0").to_string().contains("put it after its call"));
}

#[test]
fn s11_1_what_is_posted_holds_no_call_and_no_result() {
    let state = tell("user: hi");
    for story in ["calls c0", "result c0", "both c0"] {
        let message = Arc::new(told(story).remove(0));
        for item in [Item::Steer(Arc::clone(&message)), Item::FollowUp(message)] {
            let posted = Posted { cursor: Cursor(1), key: "k".into(), item };
            let refused = state.decide(Input::Take(posted)).unwrap_err();
            assert!(matches!(refused, Refusal::Malformed(_)), "{story}: {refused}");
        }
    }
}

#[test]
fn s11_1_messages_that_are_added_are_an_exchange_by_themselves() {
    let before = tell("user: hi; inference; calls: a; result: 0 x");
    let add = |story: &str| {
        told(story).into_iter().fold(before.clone(), AgentState::with_message).check_since(&before)
    };
    assert_eq!(add("note"), Ok(()));
    assert_eq!(add("note; calls c7; result c7"), Ok(()));
    assert_eq!(add("calls c7"), Err(open("c7").into()));
    assert_eq!(add("result c0"), Err(lone("c0").into()), "the call of another turn");
    // What was there before is not judged again.
    let broken = before.clone().with_message(told("calls c7").remove(0));
    assert_eq!(broken.clone().with_message("note").check_since(&broken), Ok(()));
}

#[test]
fn s11_3_an_incomplete_response_stays_incomplete_whatever_it_is_changed_to() {
    let cut = respond(tell("user: hi; inference"), asks("a"), Some(Incomplete::Cut));
    let whole = cut.clone().with_response(asks("a, b"));
    assert_eq!(whole.check_since(&cut), Err(Refusal::MadeWhole));
    let step = whole.current_step().unwrap();
    assert_eq!(step.response.as_ref().unwrap().incomplete, Some(Incomplete::Cut));
    assert!(step.calls.is_empty(), "none of its calls runs");
    assert_eq!(transcript(&whole), ["user: hi"]);
    // Changed as it is, it may be.
    let mut half = says("half");
    half.incomplete = Some(Incomplete::NoEnd);
    assert_eq!(cut.clone().with_response(half).check_since(&cut), Ok(()));
    // And a whole one may be made incomplete.
    let whole = respond(tell("user: hi; inference"), asks("a"), None);
    let mut half = says("half");
    half.incomplete = Some(Incomplete::Cut);
    assert_eq!(whole.clone().with_response(half).check_since(&whole), Ok(()));
}

#[test]
fn s11_1_an_answer_holds_no_result() {
    let answer = |story: &str| Response::new(told(story).remove(0), FinishReason::Stop);
    assert_eq!(answer("calls c0").check(), Ok(()));
    let misplaced = Malformed::MisplacedResult { role: Role::Assistant };
    assert_eq!(answer("both c0").check(), Err(misplaced.clone()));
    let before = respond(tell("user: hi; inference"), says("x"), None);
    let refused = before.clone().with_response(answer("both c0")).check_since(&before);
    assert_eq!(refused, Err(misplaced.into()));
}

#[test]
fn s12_1_what_is_nested_too_deeply_is_refused_or_kept_as_text() {
    let before = tell("user: hi; inference; calls: a; result: 0 x");
    let too_deep = Err(Refusal::Malformed(Malformed::TooDeep));
    let metadata = |value| before.clone().with_metadata("k", Some(value)).check_since(&before);
    assert_eq!((metadata(json!([1])), metadata(deep())), (Ok(()), too_deep.clone()));
    let other = Message::user("x");
    let other = Message::new(Role::User, [other.parts, vec![Part::Other(deep())]].concat());
    assert_eq!(before.clone().with_message(other.clone()).check_since(&before), too_deep);
    assert_eq!(blank().decide(Input::Start(vec![other])).err(), too_deep.clone().err());
    let call = ToolCall {
        provider: Some(ProviderData::new("p", deep())),
        ..ToolCall::new("c0", "look", "{}")
    };
    let call = Message::assistant(vec![Part::ToolCall(Arc::new(call))]);
    assert_eq!(call.check(), Err(Malformed::TooDeep));
    let mut settings = before.settings().clone();
    settings.extra.insert("k".to_owned(), deep());
    assert_eq!(before.clone().with_settings(settings).check_since(&before), too_deep);
    // The value of an outcome is kept as its text, also after a change.
    let changed = before.clone().with_tool_outcome(0, ToolOutcome::value(deep()));
    assert_eq!(changed.check_since(&before), Ok(()));
    assert_eq!(changed.uncommitted().last().unwrap().encode().map(drop).ok(), Some(()));
    let text = ToolOutcome::value(Value::String(deep().to_string()));
    assert_eq!(
        *changed.current_step().unwrap().calls.get(0).unwrap().execution().unwrap().outcome,
        text
    );
    let raw = Event::ToolChanged(legwork_core::event::ToolChanged {
        index: 0,
        outcome: Arc::new(ToolOutcome::value(deep())),
    });
    assert_eq!(before.clone().with(raw).check_since(&before), too_deep);
}

#[test]
fn s12_1_an_answer_that_is_nested_too_deeply_is_kept_as_text() {
    let call = ToolCall {
        provider: Some(ProviderData::new("p", deep())),
        ..ToolCall::new("c0", "look", "{}")
    };
    let parts = vec![Part::text("so"), Part::Other(deep()), Part::ToolCall(Arc::new(call))];
    let mut response = Response::new(Message::assistant(parts), FinishReason::ToolCalls);
    response.raw.insert("odd".to_owned(), deep());
    response.raw.insert("plain".to_owned(), json!({"a": 1}));
    assert_eq!(response.check(), Err(Malformed::TooDeep));
    let kept = response.for_journal();
    assert_eq!(kept.check(), Ok(()));
    let text = Value::String(deep().to_string());
    assert_eq!(kept.raw["odd"], text);
    assert_eq!(kept.raw["plain"], json!({"a": 1}));
    assert_eq!(kept.message.parts[0], Part::text("so"));
    assert_eq!(kept.message.parts[1], Part::Other(text.clone()));
    assert_eq!(kept.message.tool_calls().next().unwrap().provider.as_ref().unwrap().data, text);
    let state = respond(tell("user: hi; inference"), kept, None);
    assert!(state.uncommitted().last().unwrap().encode().is_ok());
    assert_eq!(go_on(state, "result: 0 x").context().transcript.open_calls(), 0);
}

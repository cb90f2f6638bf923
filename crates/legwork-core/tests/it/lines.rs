//! S8.5, S12.1: what a line leaves out, how deep it may be, and what is cached with values.

use std::sync::Arc;

use legwork_core::budget::{Amounts, MicroUsd};
use legwork_core::entry::{DEEPEST, is_too_deep};
use legwork_core::event::{ToolFinished, Unknown};
use legwork_core::message::{Author, Image, MediaSource, Wire};
use legwork_core::tool::Metadata;
use legwork_core::{
    Entry, Event, FinishReason, Message, Micros, Part, Response, Role, Seq, Timestamp, ToolOutcome,
    Usage,
};
use serde_json::{Value, json};

use crate::story::{says, tell};

/// The names of the fields that are written.
fn fields<T: serde::Serialize>(value: &T) -> Vec<String> {
    let json = serde_json::to_value(value).unwrap();
    let mut names: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
    names.sort();
    names
}

#[test]
fn s8_5_amounts_are_written_where_there_are_any() {
    let zero = Amounts::default;
    assert!(fields(&zero()).is_empty());
    let table = [
        ("steps", Amounts { steps: 1, ..zero() }),
        ("tool_calls", Amounts { tool_calls: 1, ..zero() }),
        ("input", Amounts { input: 1, ..zero() }),
        ("output", Amounts { output: 1, ..zero() }),
        ("tokens", Amounts { tokens: 1, ..zero() }),
        ("cost", Amounts { cost: MicroUsd(1), ..zero() }),
        ("active_time", Amounts { active_time: Micros(1), ..zero() }),
        ("estimated", Amounts { estimated: true, ..zero() }),
        ("unpriced", Amounts { unpriced: true, ..zero() }),
    ];
    for (name, amounts) in table {
        assert_eq!(fields(&amounts), [name]);
        let read: Amounts = serde_json::from_value(serde_json::to_value(amounts).unwrap()).unwrap();
        assert_eq!(read, amounts);
    }
}

#[test]
fn s8_5_the_rest_of_what_is_nothing_is_left_out_too() {
    let usage = Usage::default();
    assert_eq!(fields(&usage), ["input", "output"]);
    let cached = Usage { cache_read: 1, reasoning: 2, ..usage };
    assert_eq!(fields(&cached), ["cache_read", "input", "output", "reasoning"]);
    assert_eq!(fields(&says("hi")), ["finish", "message"]);
    let charged = Response { charged_attempts: 1, ..says("hi") };
    assert_eq!(fields(&charged), ["charged_attempts", "finish", "message"]);
    let finished = |took, used| {
        let (outcome, metadata) = (Arc::new(ToolOutcome::text("x")), Metadata::default());
        ToolFinished { index: 0, outcome, took, metadata, used }
    };
    assert_eq!(fields(&finished(Micros::ZERO, Amounts::default())), ["index", "outcome"]);
    let used = Amounts { input: 1, ..Amounts::default() };
    assert_eq!(fields(&finished(Micros(1), used)), ["index", "outcome", "took", "used"]);
    let step = tell("user: hi; inference").current_step().unwrap().clone();
    assert!(!fields(&step).contains(&"worked".to_owned()));
    let worked = legwork_core::AgentStep { worked: Micros(1), ..step };
    assert!(fields(&worked).contains(&"worked".to_owned()));
}

#[test]
fn s5_6_what_is_unknown_is_marked_only_where_there_is_something() {
    assert!(!Amounts::of_usage(&Usage::default(), None).unpriced);
    assert!(Amounts::of_usage(&Usage { output: 1, ..Usage::default() }, None).unpriced);
    assert!(!Amounts { steps: 1, ..Amounts::default() }.as_estimate().estimated);
    assert!(Amounts { input: 1, ..Amounts::default() }.as_estimate().estimated);
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(Value::Null, |inner, _| json!([inner]))
}

/// How deeply a value is nested.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

#[test]
fn s12_1_a_line_is_written_up_to_its_deepest_level_and_no_deeper() {
    let line = |levels| {
        let (outcome, metadata) =
            (Arc::new(ToolOutcome::value(nested(levels))), Metadata::default());
        let (took, used) = (Micros::ZERO, Amounts::default());
        let event = Event::ToolFinished(ToolFinished { index: 0, outcome, took, metadata, used });
        Entry { seq: Seq(1), parent: Seq(0), at: Timestamp(0), event }
    };
    let around = depth(&serde_json::to_value(line(0)).unwrap());
    assert!(line(DEEPEST - around).encode().is_ok());
    assert!(line(DEEPEST - around + 1).encode().is_err());
}

#[test]
fn s12_1_what_is_posted_leaves_room_for_the_line_around_it() {
    let json = |levels| serde_json::to_vec(&nested(levels)).unwrap();
    assert!(!is_too_deep(&json(1)));
    assert!(!is_too_deep(&json(DEEPEST - 20)));
    assert!(is_too_deep(&json(DEEPEST - 19)));
    // Brackets in a text are none, wherever its quotes and backslashes stand.
    let brackets = "[".repeat(200);
    for text in [brackets.clone(), format!("\"{brackets}"), format!("\\\"{brackets}\\")] {
        assert!(!is_too_deep(&serde_json::to_vec(&json!(text)).unwrap()), "{text}");
        let behind = json!([text, nested(DEEPEST - 20)]);
        assert!(is_too_deep(&serde_json::to_vec(&behind).unwrap()), "behind {text}");
    }
    // Siblings do not add to the depth.
    assert!(!is_too_deep(&serde_json::to_vec(&vec![nested(1); 200]).unwrap()));
}

#[test]
fn s11_4_unknown_events_are_equal_when_type_and_body_are() {
    let unknown = |kind: &str, body: Value| Unknown::new(kind, &body);
    let one = unknown("moon", json!({"n": 1}));
    assert_eq!(one, unknown("moon", json!({"n": 1})));
    assert!(one != unknown("moon", json!({"n": 2})));
    assert!(one != unknown("sun", json!({"n": 1})));
}

#[test]
fn messages_are_equal_when_who_speaks_and_what_is_said_are() {
    let hi = Message::user("hi");
    assert!(hi == Message::from("hi") && hi == Message::from("hi".to_owned()));
    assert!(hi != Message::user("ho"));
    assert!(hi != Message::assistant(hi.parts.clone()));
    assert!(hi != Message::new(Role::Tool, Vec::new()));
}

#[test]
fn s9_1_a_message_is_encoded_once_for_each_wire() {
    let message = Message::user("hi");
    let append = |message: &Message, wire: Wire, text: &str| {
        let mut out = b"<".to_vec();
        message.append_encoded(&wire, &mut out, |message, out| {
            out.extend(format!("{text} {}", message.text()).bytes());
        });
        String::from_utf8(out).unwrap()
    };
    assert!(format!("{message:?}").contains("Caches(none)"));
    assert_eq!(append(&message, Wire::new("one"), "first"), "<first hi");
    assert_eq!(append(&message, Wire::new("one"), "again"), "<first hi");
    // Wires with equal names are equal, at any address.
    assert!(Wire::new("one") == Wire::new("one") && Wire::new("one") != Wire::new("other"));
    assert_eq!(append(&message, Wire::new("other"), "else"), "<else hi");
    assert_eq!(append(&message, Wire::new("other"), "again"), "<else hi");
    assert_eq!(append(&message, Wire::new("one"), "again"), "<first hi");
    assert_eq!(append(&message.clone(), Wire::new("one"), "again"), "<first hi");
    // Shown to a programmer, bytes are counted and not listed.
    assert!(format!("{message:?}").contains("Encoded(one, 8 bytes; other, 7 bytes)"));
    for name in ["third", "fourth", "fifth"] {
        assert_eq!(append(&message, Wire::new(name), name), format!("<{name} hi"));
    }
    for name in ["third", "fourth", "fifth"] {
        assert_eq!(append(&message, Wire::new(name), "again"), format!("<{name} hi"));
    }
    assert_eq!(append(&message, Wire::new("one"), "again"), "<first hi");
}

#[test]
fn a_message_shows_which_form_is_cached() {
    let message = Arc::new(Message::user("hi"));
    assert!(format!("{message:?}").contains("Caches(none)"));
    assert_eq!(message.rendered(legwork_core::message::Form("loud"), |_| None), message);
    assert!(format!("{message:?}").contains("Rendered(loud)"));
}

#[test]
fn a_message_that_was_changed_has_no_caches() {
    let message = Arc::new(Message::user("hi"));
    let form = legwork_core::message::Form("loud");
    assert_eq!(message.rendered(form, |_| Some(Message::user("HI"))).text(), "HI");
    message.append_encoded(&Wire::new("one"), &mut Vec::new(), |_, out| out.push(b'.'));
    let cached = |message: &Message, what| format!("{message:?}").contains(what);
    assert!(cached(&message, "Encoded(one, 1 bytes)") && cached(&message, "Rendered(loud)"));
    // A copy is encoded as the message is, and shown as whatever becomes of it.
    let copy = Message::clone(&message);
    assert!(cached(&copy, "Encoded(one, 1 bytes)") && cached(&copy, "Rendered(none)"));
    assert!(cached(&copy.clone().by(Author::Person("Ada".into())), "Caches(none)"));
    assert!(cached(&copy.with_parts(Vec::new()), "Caches(none)"));
}

/// A journal in memory is mostly its events: bodies that are large and rare are boxed.
#[test]
#[cfg(target_pointer_width = "64")]
fn an_event_takes_the_memory_of_frequent_ones() {
    assert!(size_of::<legwork_core::Event>() <= 120, "{}", size_of::<legwork_core::Event>());
}

#[test]
fn s1_7_a_text_is_large_when_it_is_longer_than_allowed() {
    let state = tell("user: 12345678901234567890");
    let slim = |longest| state.slim(longest).unwrap().to_string();
    assert!(slim(20).contains("12345678901234567890"));
    assert!(!slim(19).contains("12345678901234567890"));
    // Only a response has raw fields: elsewhere such a field is ordinary data.
    let raw = |key: &str| {
        let value = json!({"raw": "mine", key: "x"});
        let state = tell("user: hi").with_metadata("k", Some(value.clone()));
        state.slim(1_000).unwrap()["context"]["metadata"]["k"] == value
    };
    assert!(raw("message") && raw("finish") && raw("else"));
}

#[test]
fn s3_1_a_picture_is_an_answer_that_says_something() {
    use legwork_core::Criterion as _;
    use legwork_core::continuation::ContentPresent;
    let image = Image { media_type: "image/png".into(), source: MediaSource::Url("u".into()) };
    let message = Message::assistant(vec![Part::Image(image)]);
    let response = Response::new(message, FinishReason::Stop);
    let state = crate::story::respond(tell("user: hi; inference"), response, None);
    let vote = ContentPresent.decide(&state).unwrap();
    assert!(matches!(vote, Some(legwork_core::Decision::Stop(_))), "{vote:?}");
}

//! S1.7, S8.4, S8.5, S11.4: one journal line, whole or not at all.

use std::sync::Arc;

use legwork_core::entry::{Error, FORMAT, Unreadable, is_too_deep};
use legwork_core::event::{ToolFinished, Unknown};
use legwork_core::message::ProviderData;
use legwork_core::tool::Metadata;
use legwork_core::{Entry, Event, Message, Micros, Part, Seq, Timestamp, ToolCall, ToolOutcome};
use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::{arbitrary, samples};

fn entry(event: Event) -> Entry {
    Entry { seq: Seq(7), parent: Seq(6), at: Timestamp(1_700_000_000_000), event }
}

/// What a line is, in a word or two.
fn read(line: &str) -> String {
    match Entry::decode(line.as_bytes()) {
        Ok(entry) => format!("{} {}", entry.seq, entry.event.kind()),
        Err(Error::Damaged(_)) => "damaged".to_owned(),
        Err(Error::Unreadable { seq, reason }) => {
            let number = seq.map_or_else(|| "unnumbered".to_owned(), |seq| seq.to_string());
            let reason = match reason {
                Unreadable::Newer { found } => format!("newer: {found}"),
                Unreadable::Body(error) => format!("no {}", error.kind),
                Unreadable::Shape(_) => "no entry".to_owned(),
                other => panic!("{other}"),
            };
            format!("{number}, {reason}")
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn s8_5_a_line_is_an_object_of_six_fields() {
    let event = Event::MessageAdded(Arc::new(Message::user("hi")));
    let line = String::from_utf8(entry(event).encode().unwrap()).unwrap();
    assert_eq!(
        line,
        r#"{"v":2,"seq":7,"parent":6,"at":1700000000000,"type":"message_added","body":{"role":"user","parts":[{"text":{"text":"hi"}}]}}"#
    );
}

/// A value nested this deeply; brackets in text are none.
fn nested(levels: usize) -> Value {
    (1..levels).fold(json!(["[[\\\"{"]), |inner, level| match level % 2 {
        0 => json!([inner]),
        _ => json!({ "in": inner }),
    })
}

fn finished(outcome: ToolOutcome) -> Entry {
    let (outcome, took) = (Arc::new(outcome), Micros::ZERO);
    let (metadata, used) = (Metadata::default(), Default::default());
    entry(Event::ToolFinished(ToolFinished { index: 0, outcome, took, metadata, used }))
}

#[test]
fn s1_7_what_is_written_can_be_read_however_deep_it_is() {
    let mut refused = 0;
    for levels in 1..200 {
        let entry = finished(ToolOutcome::value(nested(levels)));
        match entry.encode() {
            Ok(line) => assert_eq!(Entry::decode(&line).unwrap(), entry, "{levels} levels"),
            Err(error) => {
                assert!(error.to_string().contains("nested deeper"), "{error}");
                refused += 1;
            }
        }
    }
    assert!((60..100).contains(&refused), "{refused} of 199 refused");
}

#[test]
fn s1_7_a_result_too_deep_for_a_journal_is_kept_as_its_text() {
    for levels in [1, 50, 99, 100, 101, 150, 500] {
        let outcome = ToolOutcome::value(nested(levels));
        let kept = outcome.clone().for_journal();
        assert_eq!(kept.to_text(), outcome.to_text());
        assert_eq!(kept == outcome, levels <= 100, "{levels} levels");
        finished(kept).encode().unwrap();
    }
}

#[test]
fn s1_7_an_object_with_a_key_of_serde_json_s_own_is_kept_as_its_text() {
    const KEY: &str = "$serde_json::private::RawValue";
    for value in [json!({ KEY: 5 }), json!({ "z": 1, KEY: "[1]" }), json!([{ "a": { KEY: "x" } }])]
    {
        let outcome = ToolOutcome::value(value.clone());
        // Written as it is, it would be damage, or silently another value.
        let error = finished(outcome.clone()).encode().unwrap_err().to_string();
        assert!(error.contains(KEY), "{error}");
        assert!(is_too_deep(&serde_json::to_vec(&value).unwrap()));
        let kept = outcome.clone().for_journal();
        assert_eq!(kept.to_text(), outcome.to_text());
        let entry = finished(kept);
        assert_eq!(Entry::decode(&entry.encode().unwrap()).unwrap(), entry);
    }
    // As a text it is nothing special.
    for value in [json!(KEY), json!(format!("{{\"{KEY}\":1}}")), json!({ "k": KEY })] {
        let entry = finished(ToolOutcome::value(value).for_journal());
        assert_eq!(Entry::decode(&entry.encode().unwrap()).unwrap(), entry);
    }
}

#[test]
fn s8_5_an_entry_of_a_newer_version_is_newer_whatever_its_shape() {
    let newer = FORMAT + 1;
    let same = format!(r#"{{"v":{newer},"seq":1,"parent":0,"at":0,"type":"x","body":{{}}}}"#);
    assert_eq!(read(&same), "unnumbered, newer: 3");
    assert_eq!(read(r#"{"v":99,"entry":"01J","prev":["a"]}"#), "unnumbered, newer: 99");
    assert_eq!(
        read(r#"{"v":99,"type":"head_moved","body":{"to":"x"},"seq":1,"parent":0,"at":0}"#),
        "unnumbered, newer: 99"
    );
    let error = Entry::decode(same.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("version 3") && error.contains("reads up to 2"), "{error}");
    assert!(error.contains("use a newer Legwork"), "{error}");
    let this = same.replace(&format!("\"v\":{newer}"), &format!("\"v\":{FORMAT}"));
    assert_eq!(read(&this), "1 x");
}

const WHOLE: &str = r#"{"v":1,"seq":5,"parent":0,"at":0,"type":"head_moved","body":{"to":1}}"#;

#[test]
fn s8_4_a_line_that_is_no_whole_object_is_damaged() {
    assert_eq!(read(WHOLE), "5 head_moved");
    let (two, more) = (format!("{WHOLE}{WHOLE}"), format!("{WHOLE}\u{0}"));
    let other = WHOLE.replace("\"to\"", "to");
    for line in ["", " ", "null", "7", "\"v\"", "[1]", "\u{0}", &two, &more, &other] {
        assert_eq!(read(line), "damaged", "{line}");
    }
    let not_utf8 = Entry::decode(b"{\"v\":1,\"type\":\"\xff\"}");
    assert!(matches!(not_utf8, Err(Error::Damaged(_))), "{not_utf8:?}");
}

#[test]
fn s8_4_a_whole_line_that_cannot_be_read_is_not_damaged() {
    for (old, new, is) in [
        (r#"{"to":1}"#, r#"{"to":"x"}"#, "5, no head_moved"),
        (r#"{"to":1}"#, "{}", "5, no head_moved"),
        (r#"{"to":1}"#, "null", "5, no head_moved"),
        (r#"{"to":1}"#, r#"{"to":{"entry":1}}"#, "5, no head_moved"),
        (r#","body":{"to":1}"#, "", "5, no entry"),
        (r#""at":0"#, r#""at":"noon""#, "5, no entry"),
        (r#""seq":5"#, r#""seq":-1"#, "unnumbered, no entry"),
        (r#""seq":5,"#, "", "unnumbered, no entry"),
        (r#""v":1,"#, "", "5, no entry"),
        (r#""v":1"#, r#""v":99999999999"#, "5, no entry"),
        (r#""v":1"#, r#""v":{"major":2}"#, "5, no entry"),
        (r#""v":1"#, r#""v":1,"v":1"#, "5, no entry"),
    ] {
        assert_eq!(read(&WHOLE.replace(old, new)), is, "{new} for {old}");
    }
    assert_eq!(read("{}"), "unnumbered, no entry");
}

#[test]
fn s11_4_a_field_that_this_version_does_not_know_is_no_error() {
    let line = r#"{"v":1,"seq":1,"parent":0,"at":0,"host":"x","type":"head_moved","body":{"to":1,"why":"y"}}"#;
    assert_eq!(read(line), "1 head_moved");
}

#[test]
fn s11_4_an_unknown_type_survives_byte_for_byte() {
    for body in [
        "null",
        "[]",
        "0.10",
        r#"{"z":1,"a":2,"a":3}"#,
        r#"{"n":123456789012345678901234567890,"x":1e400,"y":1E+2,"z":-0.0}"#,
        r#""\u0000\ud83e\uddf5 é""#,
    ] {
        let line =
            format!(r#"{{"v":2,"seq":3,"parent":2,"at":9,"type":"from_later","body":{body}}}"#);
        let entry = Entry::decode(line.as_bytes()).unwrap();
        let Event::Other(unknown) = &entry.event else { panic!("{:?}", entry.event) };
        assert_eq!((unknown.kind.as_str(), unknown.body.get()), ("from_later", body));
        assert_eq!(String::from_utf8(entry.encode().unwrap()).unwrap(), line);
        // Also inside a state.
        let state = crate::story::blank().with(entry.event.clone());
        let text = serde_json::to_string(&state).unwrap();
        let back: legwork_core::AgentState = serde_json::from_str(&text).unwrap();
        assert_eq!(back.uncommitted(), state.uncommitted());
    }
}

#[test]
fn s11_4_an_unknown_body_never_breaks_its_line() {
    let pretty =
        "{\"v\":1,\"seq\":3,\"parent\":2,\"at\":9,\"type\":\"x\",\"body\":{\n\"a\": 1\r\n}}";
    let line = Entry::decode(pretty.as_bytes()).unwrap().encode().unwrap();
    assert!(!line.contains(&b'\n') && !line.contains(&b'\r'));
    assert!(String::from_utf8(line).unwrap().ends_with(r#""body":{"a":1}}"#));
}

#[test]
fn s11_4_an_unknown_event_changes_no_state_but_the_head() {
    let state = crate::story::tell("user: hi; inference; calls: a");
    let after = state.clone().with(Event::Other(Unknown::new("x", &json!({"a": [1, 2]}))));
    assert_eq!((after.context(), after.execution()), (state.context(), state.execution()));
    assert_eq!(after.head(), state.head().next());
}

#[test]
fn s1_7_a_null_that_is_there_is_not_absent() {
    let call = ToolCall {
        provider: Some(ProviderData::new("p", json!(null))),
        ..ToolCall::new("c0", "a", "{}")
    };
    let message = Message::assistant(vec![Part::ToolCall(Arc::new(call))]);
    let state = crate::story::blank().with_metadata("k", Some(json!(null)));
    let state = state.with(Event::MessageAdded(Arc::new(message)));
    assert_eq!(state.context().metadata.get("k"), Some(&json!(null)));
    for entry in state.uncommitted().iter() {
        assert_eq!(Entry::decode(&entry.encode().unwrap()).unwrap(), **entry);
    }
    let removed = state.clone().with_metadata("k", None);
    let last = removed.uncommitted().last().unwrap();
    assert_eq!(Entry::decode(&last.encode().unwrap()).unwrap(), **last);
    assert!(removed.context().metadata.is_empty());
}

#[test]
fn s1_7_deep_values_survive() {
    let deep = (0..100).fold(json!(1), |inside, _| json!([inside]));
    let outcome = legwork_core::ToolOutcome::value(deep);
    let state = crate::story::tell("user: hi; inference; calls: a");
    let state = crate::story::finish(state, 0, outcome);
    let line = state.uncommitted().last().unwrap().encode().unwrap();
    assert_eq!(&Entry::decode(&line).unwrap(), &**state.uncommitted().last().unwrap());
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<legwork_core::AgentState>(&text).unwrap(), state);
}

#[test]
fn s8_4_a_line_cut_at_any_byte_is_an_error_and_never_another_entry() {
    for entry in samples::entries() {
        let line = entry.encode().unwrap();
        assert_eq!(&Entry::decode(&line).unwrap(), &*entry);
        for end in 0..line.len() {
            let cut = Entry::decode(&line[..end]);
            assert!(matches!(cut, Err(Error::Damaged(_))), "{} cut at {end}", entry.event.kind());
        }
    }
}

proptest! {
    #![proptest_config(arbitrary::cases(256))]

    #[test]
    fn s1_7_every_event_survives_its_line(event in arbitrary::event()) {
        let entry = entry(event);
        let line = entry.encode().unwrap();
        prop_assert!(!line.contains(&b'\n'));
        let back = Entry::decode(&line).unwrap();
        prop_assert_eq!(&back, &entry);
        prop_assert_eq!(back.encode().unwrap(), line.clone());
        let whole: Entry = serde_json::from_slice(&line).unwrap();
        prop_assert_eq!(&whole, &entry);
    }

    #[test]
    fn s8_4_damage_is_what_is_no_whole_object_and_nothing_else(
        event in arbitrary::event(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        bytes in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let mut line = entry(event).encode().unwrap();
        let at = at.index(line.len());
        line[at] = byte;
        for line in [line, bytes] {
            let starts = line.trim_ascii_start().starts_with(b"{");
            let is_json = serde_json::from_slice::<IgnoredAny>(&line).is_ok();
            let is_object = starts && is_json && str::from_utf8(&line).is_ok();
            match Entry::decode(&line) {
                Err(Error::Damaged(_)) => prop_assert!(!is_object),
                Err(Error::Unreadable { .. }) => prop_assert!(is_object),
                Err(other) => panic!("{other}"),
                Ok(entry) => {
                    prop_assert!(is_object);
                    prop_assert_eq!(Entry::decode(&entry.encode().unwrap()).unwrap(), entry);
                }
            }
        }
    }
}

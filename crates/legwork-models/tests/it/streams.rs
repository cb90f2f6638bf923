//! Streams and bodies as one server or another writes them.

use std::ops::ControlFlow;

use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Part, Usage};
use legwork_models::Api;
use legwork_models::answer::{ApiError, Ended, Reply, Streaming, Unreadable};
use legwork_port::Delta;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::answers::{Seen, body, calls, delta, end, events, read, stream, summary};

fn piece(index: Value, id: Value, name: Value, arguments: Value) -> Value {
    delta(json!({"tool_calls": [
        {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]}))
}

/// Checks that chunks come to these calls, and that they were shown so.
fn check(chunks: &[Value], expected: &[[&str; 3]]) {
    let whole = events(&[chunks, &[end("tool_calls")]].concat());
    let (result, seen) = stream([whole.as_bytes()]);
    let response = result.unwrap();
    assert_eq!(calls(&response), expected, "{chunks:?}");
    assert_eq!(response.incomplete, None);
    let shown: Vec<_> = expected.iter().map(|[_, n, a]| (n.to_string(), a.to_string())).collect();
    assert_eq!(seen.calls, shown);
}

#[test]
fn calls_are_assembled_however_they_are_labelled() {
    let none = Value::Null;
    // As OpenAI does it, two calls woven into each other.
    check(
        &[
            piece(json!(0), json!("a"), json!("add"), json!("")),
            piece(json!(1), json!("b"), json!("sub"), json!("{")),
            piece(json!(0), none.clone(), none.clone(), json!("{}")),
            piece(json!(1), none.clone(), none.clone(), json!("}")),
        ],
        &[["a", "add", "{}"], ["b", "sub", "{}"]],
    );
    // Id and name in every piece.
    check(
        &[
            piece(json!(0), json!("a"), json!("add"), json!("{")),
            piece(json!(0), json!("a"), json!("add"), json!("}")),
        ],
        &[["a", "add", "{}"]],
    );
    // Every call under index 0, each whole.
    check(
        &[
            piece(json!(0), json!("a"), json!("add"), json!("{}")),
            piece(json!(0), json!("b"), json!("add"), json!("{}")),
        ],
        &[["a", "add", "{}"], ["b", "add", "{}"]],
    );
    // No index at all.
    check(
        &[
            piece(none.clone(), json!("a"), json!("add"), json!("{")),
            piece(none.clone(), json!("a"), none.clone(), json!("\"x\":")),
            piece(none.clone(), none.clone(), none.clone(), json!("1}")),
            piece(none.clone(), json!("b"), json!("sub"), json!("{}")),
        ],
        &[["a", "add", "{\"x\":1}"], ["b", "sub", "{}"]],
    );
    // Neither index nor id: the calls get ids of their own.
    check(
        &[
            piece(none.clone(), none.clone(), json!("add"), json!("{")),
            piece(none.clone(), none.clone(), json!("add"), json!("}")),
            piece(none.clone(), none.clone(), json!("add"), json!("{}")),
        ],
        &[["call_0", "add", "{}"], ["call_1", "add", "{}"]],
    );
    // Arguments as an object, and indices that begin at 1.
    check(
        &[
            piece(json!(1), json!("a"), json!("add"), json!({"x": 1})),
            piece(json!(2), json!("b"), json!("sub"), none.clone()),
        ],
        &[["a", "add", "{\"x\":1}"], ["b", "sub", ""]],
    );
}

#[test]
fn two_calls_of_one_id_stay_separate() {
    let call =
        json!({"id": "a", "type": "function", "function": {"name": "add", "arguments": "{}"}});
    let message = json!({"tool_calls": [call, call]});
    let response = body(&json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]}));
    assert_eq!(calls(&response.unwrap()), [["a", "add", "{}"], ["a_1", "add", "{}"]]);
}

#[test]
fn s11_3_a_length_limit_inside_a_call_makes_the_response_incomplete() {
    let whole = [piece(json!(0), json!("a"), json!("add"), json!("{}")), end("length")];
    let cut = [piece(json!(0), json!("a"), json!("add"), json!("{\"x\": [1")), end("length")];
    let unbegun = [piece(json!(0), json!("a"), json!("add"), json!("")), end("length")];
    let text = [delta(json!({"content": "and so"})), end("length")];
    let came = |chunks: &[Value]| stream([events(chunks).as_bytes()]).0.unwrap().incomplete;
    assert_eq!(came(&whole), None);
    assert_eq!(came(&cut), Some(Incomplete::LengthInCall));
    assert_eq!(came(&unbegun), Some(Incomplete::LengthInCall));
    assert_eq!(came(&text), None);
}

#[test]
fn s11_4_an_unknown_finish_reason_is_kept() {
    let of_body = |reason: &str| {
        let choice = json!({"message": {"content": "Hi."}, "finish_reason": reason});
        body(&json!({"choices": [choice]})).unwrap().finish
    };
    let of_stream = |reason: &str| {
        let chunks = [delta(json!({"content": "Hi."})), end(reason)];
        stream([events(&chunks).as_bytes()]).0.unwrap().finish
    };
    for reason in ["tired", "STOP", "stop ", "léger"] {
        let other = FinishReason::Other(reason.to_owned());
        assert_eq!((of_body(reason), of_stream(reason)), (other.clone(), other));
    }
}

/// Fields at each place of a body or chunk that are not known here, among known ones.
fn strange(message: &str) -> Value {
    json!({"id": "x", "model": "m", "news": {"a": 1}, "no": false, "nothing": null,
        "choices": [{"index": 0, "finish_reason": "stop", "why": "late",
                     message: {"content": "Hi.", "mood": "good", "list": [], "some": [1, {"b": 2}]}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "cost": 0.5, "zero": 0}})
}

/// What of [`strange`] has no place in the parts; what is empty says nothing.
fn kept() -> Value {
    json!({"news": {"a": 1}, "no": false, "choice": {"why": "late"},
        "message": {"mood": "good", "some": [1, {"b": 2}]}, "usage": {"cost": 0.5}})
}

#[test]
fn s11_4_unknown_fields_are_kept() {
    let response = body(&strange("message")).unwrap();
    assert_eq!((response.id.as_deref(), response.model.as_deref()), (Some("x"), Some("m")));
    assert_eq!((response.text().as_str(), Value::Object(response.raw)), ("Hi.", kept()));
    let response = stream([events(&[strange("delta")]).as_bytes()]).0.unwrap();
    assert_eq!((response.text().as_str(), Value::Object(response.raw)), ("Hi.", kept()));
}

#[test]
fn s11_4_unknown_fields_of_all_chunks_come_together() {
    let chunk = |top: Value, message: Value| {
        let mut chunk = delta(message);
        chunk.as_object_mut().unwrap().extend(top.as_object().unwrap().clone());
        chunk
    };
    let chunks = [
        chunk(json!({"first": 1, "shared": {"a": 1}}), json!({"content": "H", "signature": "ab"})),
        chunk(json!({"shared": {"b": 2}, "last": 1}), json!({"content": "i.", "signature": "cd"})),
        chunk(json!({"last": 2}), json!({"tone": "flat"})),
        end("stop"),
    ];
    let response = stream([events(&chunks).as_bytes()]).0.unwrap();
    let all = json!({"first": 1, "shared": {"a": 1, "b": 2}, "last": 2,
        "message": {"signature": "abcd", "tone": "flat"}});
    assert_eq!((response.text().as_str(), Value::Object(response.raw)), ("Hi.", all));
}

#[test]
fn s11_4_a_part_of_an_unknown_type_is_kept() {
    let odd = json!({"type": "hologram", "beam": [1, 2]});
    let content = json!([{"type": "text", "text": "Hi."}, odd]);
    let parts = [Part::text("Hi."), Part::Other(odd)];
    let choice = json!({"message": {"content": content}, "finish_reason": "stop"});
    assert_eq!(body(&json!({"choices": [choice]})).unwrap().message.parts, parts);
    let chunks = [delta(json!({"content": content})), end("stop")];
    assert_eq!(stream([events(&chunks).as_bytes()]).0.unwrap().message.parts, parts);
}

#[test]
fn s11_4_events_of_unknown_types_are_kept_and_no_error() {
    let hi = delta(json!({"content": "Hi."}));
    let odd = format!(
        ": a comment\n\nevent: odd\nretry: 5\nid: 7\nstrange: line\ndata: {}\n\n\
         event: ping\ndata:\n\nevent: later\ndata: {hi}\n\n{}",
        json!({"ping": 1}),
        events(&[json!({"object": "odd.thing", "pong": 2}), end("stop")]),
    );
    let (response, seen) = stream([odd.as_bytes()]);
    let response = response.unwrap();
    assert_eq!((response.text().as_str(), seen.text.as_str()), ("Hi.", "Hi."));
    assert_eq!((response.finish, response.incomplete), (FinishReason::Stop, None));
    let kept = |key: &str| response.raw.get(key).cloned();
    assert_eq!((kept("ping"), kept("pong")), (Some(json!(1)), Some(json!(2))));
}

#[test]
fn s11_1_parts_come_in_order_and_thinking_under_either_name_once() {
    let twice = delta(json!({"reasoning": "Hm.", "reasoning_content": "Hm."}));
    let chunks =
        [twice, delta(json!({"content": "A"})), delta(json!({"content": "B"})), end("stop")];
    let (response, seen) = stream([events(&chunks).as_bytes()]);
    let response = response.unwrap();
    let [Part::Thinking(thinking), Part::Text(text)] = &*response.message.parts else {
        panic!("{:?}", response.message)
    };
    assert_eq!((thinking.text.as_str(), text.text.as_str()), ("Hm.", "AB"));
    assert_eq!((seen.thinking.as_str(), seen.text.as_str()), ("Hm.", "AB"));

    let message = json!({"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}],
        "content": "A", "reasoning_content": "Hm."});
    let response =
        body(&json!({"choices": [{"message": message, "finish_reason": "stop"}]})).unwrap();
    assert!(matches!(
        &*response.message.parts,
        [Part::Thinking(_), Part::Text(_), Part::ToolCall(_)]
    ));
}

#[test]
fn a_refusal_is_a_part_of_its_own() {
    let message = json!({"content": null, "refusal": "I won't."});
    let response =
        body(&json!({"choices": [{"message": message, "finish_reason": "stop"}]})).unwrap();
    assert_eq!(response.message.parts, [Part::Refusal("I won't.".into())]);
}

#[test]
fn s5_6_usage_counts_once_in_every_spelling() {
    let of = |usage: Value| {
        body(&json!({"choices": [{"message": {}, "finish_reason": "stop"}], "usage": usage}))
            .unwrap()
            .usage
    };
    let usage = |input, output, cache_read, cache_write, reasoning| {
        Some(Usage { input, output, cache_read, cache_write, cache_write_hour: 0, reasoning })
    };
    let openai = json!({"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14,
        "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 3}});
    assert_eq!(of(openai), usage(9, 5, 4, 2, 3));
    let deepseek = json!({"prompt_tokens": 9, "completion_tokens": 5, "prompt_cache_hit_tokens": 4,
        "prompt_cache_miss_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}});
    assert_eq!(of(deepseek), usage(9, 5, 4, 0, 0));
    let in_addition = json!({"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 17,
        "completion_tokens_details": {"reasoning_tokens": 3}});
    assert_eq!(of(in_addition), usage(9, 8, 0, 0, 3));
    let nested = json!({"tokens": {"input_tokens": 9.0, "output_tokens": 5.0}, "billed_units": {"input_tokens": 1}});
    assert_eq!(of(nested), usage(9, 5, 0, 0, 0));
    assert_eq!(of(json!({"prompt_tokens": -1, "completion_tokens": "many"})), None);
    assert_eq!(of(Value::Null), None);
    // What is kept for an hour is a part of what is written, however large a server says it is.
    let hour = |tokens: u64| {
        let cache = json!({"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": tokens});
        let used = of(json!({"input_tokens": 20, "output_tokens": 5,
            "cache_creation_input_tokens": 9, "cache_creation": cache}));
        used.map(|used| (used.input, used.cache_write, used.cache_write_hour))
    };
    assert_eq!([hour(6), hour(60)], [Some((20, 9, 6)), Some((20, 9, 9))]);
    let groq =
        json!({"x_groq": {"usage": {"prompt_tokens": 9, "completion_tokens": 5}}, "choices": []});
    let chunks = [delta(json!({"content": "Hi."})), end("stop"), groq];
    assert_eq!(stream([events(&chunks).as_bytes()]).0.unwrap().usage, usage(9, 5, 0, 0, 0));
}

#[test]
fn error_bodies_of_many_shapes_are_read() {
    let of = |body: &str| {
        let error = ApiError::from_body(418, body.as_bytes());
        (error.status, error.code, error.message)
    };
    let error_of =
        |code: Option<&str>, message: &str| (418, code.map(str::to_owned), message.to_owned());
    let cases = [
        (
            r#"{"error":{"message":"no","type":"t","code":"c","param":null}}"#,
            error_of(Some("c"), "no"),
        ),
        (r#"{"error":{"message":"no","code":429}}"#, error_of(Some("429"), "no")),
        (r#"{"error":"no"}"#, error_of(None, "no")),
        (r#"{"detail":"Not Found"}"#, error_of(None, "Not Found")),
        (r#"{"object":"error","message":"no","code":40}"#, error_of(Some("40"), "no")),
        (r#"[{"error":{"message":"no","code":400}}]"#, error_of(Some("400"), "no")),
        ("\"no\"", error_of(None, "no")),
        ("busy\n", error_of(None, "busy")),
        ("<html><head><title> Oops </title></head>", error_of(None, "Oops")),
        ("", error_of(None, "(an empty body)")),
        ("{}", error_of(None, "{}")),
    ];
    for (body, expected) in cases {
        assert_eq!(of(body), expected, "{body}");
    }
    let long = ApiError::from_body(500, "é".repeat(5_000).as_bytes());
    assert_eq!(long.message.chars().count(), 403);
}

#[test]
fn an_event_named_error_is_one_whatever_its_shape() {
    let stream_of = "event: error\ndata: {\"message\": \"boom\", \"status\": 503}\n\n";
    let Err(Unreadable::Api(error)) = stream([stream_of.as_bytes()]).0 else { panic!() };
    assert_eq!((error.status, error.message.as_str()), (503, "boom"));
}

#[test]
fn s11_3_a_chunk_that_is_not_json_ends_the_answer_as_cut() {
    let said =
        events(&[delta(json!({"content": "Hel"}))]) + "data: {oops\n\n" + &events(&[end("stop")]);
    let response = stream([said.as_bytes()]).0.unwrap();
    assert_eq!((response.text().as_str(), response.incomplete), ("Hel", Some(Incomplete::Cut)));
    // The finish reason of a chunk that broke later on does not count.
    let broken = events(&[delta(json!({"content": "Hel"}))])
        + "data: {\"choices\":[{\"finish_reason\":\"stop\"}],\"usage\":oops\n\n";
    assert_eq!(stream([broken.as_bytes()]).0.unwrap().incomplete, Some(Incomplete::Cut));
    let Err(Unreadable::NoJson { excerpt, .. }) = stream([&b"data: oops\n\n"[..]]).0 else {
        panic!()
    };
    assert_eq!(excerpt, "oops");
}

#[test]
fn an_answer_that_is_none_is_shown_the_same_however_it_is_cut() {
    // Its end is cut within a character.
    let said = format!("x{}", "漢".repeat(1_000));
    let shown = |pieces: &[&[u8]]| match stream(pieces.iter().copied()).0 {
        Err(Unreadable::OtherWire { excerpt, .. }) => excerpt,
        other => panic!("{other:?}"),
    };
    let whole = shown(&[said.as_bytes()]);
    assert!(whole.starts_with("x漢漢") && whole.len() < 1_100, "{} bytes", whole.len());
    for at in [1, 2, 3, 999, 1_000, 1_001, 2_000] {
        let (before, behind) = said.as_bytes().split_at(at);
        assert_eq!(shown(&[before, behind]), whole, "cut at {at}");
    }
}

#[test]
fn the_last_event_counts_without_its_blank_line() {
    let said = events(&[delta(json!({"content": "Hi."})), end("stop")]);
    let response = stream([said.trim_end().as_bytes()]).0.unwrap();
    assert_eq!((response.text().as_str(), response.incomplete), ("Hi.", None));
}

#[test]
fn only_the_first_choice_counts() {
    let choice = |index: u32, text: &str| json!({"index": index, "delta": {"content": text}, "finish_reason": "stop"});
    let said = events(&[json!({"choices": [choice(0, "a"), choice(1, "b")]})]);
    assert_eq!(stream([said.as_bytes()]).0.unwrap().text(), "a");
}

#[test]
fn nothing_is_taken_up_after_a_break() {
    let chunk = json!({"choices": [{"index": 0, "delta": {"content": "a", "tool_calls": [
        {"index": 0, "id": "x", "function": {"name": "f", "arguments": "{}"}}]}, "finish_reason": "stop"}]});
    let mut reply =
        Reply::new(Api::ChatCompletions, 200, Some("text/event-stream"), Streaming::Yes);
    reply.push(events(&[chunk]).as_bytes(), &mut |_: Delta<'_>| ControlFlow::Break(()));
    assert!(reply.is_over());
    let response = reply.finish(Ended::Whole).unwrap();
    assert_eq!(response.message.parts, [Part::text("a")]);
    assert_eq!(response.incomplete, Some(Incomplete::OverReserve));
}

#[test]
fn an_empty_answer_is_none() {
    for (body, kind) in [("", "text/event-stream"), ("data: [DONE]\n\n", "text/event-stream")] {
        let (result, _) = read(200, kind, [body.as_bytes()], Ended::Whole);
        assert!(result.is_err(), "{body:?}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        status in 100u16..600,
        kind in prop_oneof![Just("text/event-stream"), Just("application/json"), Just("")],
    ) {
        let cut = if bytes.len() % 2 == 0 { Ended::Whole } else { Ended::Cut };
        let _ = read(status, kind, [bytes.as_slice()], cut);
        let _ = read(status, kind, bytes.chunks(3), cut);
    }

    #[test]
    fn mangled_chunks_never_panic_and_say_the_same_in_pieces(
        picks in proptest::collection::vec((0usize..9, any::<prop::sample::Index>(), any::<u8>()), 0..12),
    ) {
        let parts = ["data: ", "{\"choices\":[", "{\"index\":0,\"delta\":{", "\"content\":", "\"tool_calls\":[{\"index\":",
            "\"function\":{\"arguments\":\"{", "}]}", "\n\n", "\"finish_reason\":\"stop\"}]}\n\n"];
        let mut bytes = Vec::new();
        for (pick, at, byte) in picks {
            bytes.extend_from_slice(parts[pick].as_bytes());
            if byte < 60 {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        let (whole, seen) = stream([bytes.as_slice()]);
        let (pieces, seen_in_pieces) = stream(bytes.chunks(1));
        prop_assert_eq!(summary(&whole), summary(&pieces));
        prop_assert_eq!(seen, seen_in_pieces);
    }

    #[test]
    fn what_is_shown_is_what_comes_back(
        said in proptest::collection::vec((0..3, "[a-z{}\":1\\\\é]{0,6}"), 0..20),
    ) {
        let chunks: Vec<Value> = said.iter().map(|(kind, text)| match kind {
            0 => delta(json!({"content": text})),
            1 => delta(json!({"reasoning_content": text})),
            _ => piece(json!(0), json!("x"), json!("f"), json!(text)),
        }).chain([end("stop")]).collect();
        let (response, seen) = stream([events(&chunks).as_bytes()]);
        let response = response.unwrap();
        let mut expected = Seen { text: response.text(), ..Seen::default() };
        for part in &response.message.parts {
            if let Part::Thinking(thinking) = part {
                expected.thinking.push_str(&thinking.text);
            }
        }
        expected.calls = calls(&response).into_iter().map(|[_, n, a]| (n, a)).collect();
        prop_assert_eq!(seen, expected);
    }
}

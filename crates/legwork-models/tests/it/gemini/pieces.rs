//! Calls whose arguments come in pieces, as Vertex AI streams them where it is asked to.

use std::ops::ControlFlow::Continue;
use std::sync::Arc;

use legwork_core::inference::{Incomplete, ToolChoice};
use legwork_core::tool::ToolSpecs;
use legwork_core::{FinishReason, ModelRequest, Response, ToolCall, ToolSpec};
use legwork_models::answer::{Ended, Reply, Streaming, Unreadable};
use legwork_models::{Api, Bounds, gemini};
use legwork_port::Delta;
use serde_json::{Value, json};

use super::{read, schema};
use crate::answers::Seen;
use crate::traffic::question;

fn stream(parts: &[Value], reason: Option<&str>) -> String {
    let chunk = |part: &Value| json!({"candidates": [{"content": {"parts": [part]}}]});
    let end = reason.map(|reason| json!({"candidates": [{"finishReason": reason}]}));
    let chunks = parts.iter().map(chunk).chain(end);
    chunks.map(|chunk| format!("data: {chunk}\r\n\r\n")).collect()
}

/// A piece of a call that goes on.
fn piece(arguments: &Value) -> Value {
    json!({"functionCall": {"partialArgs": arguments, "willContinue": true}})
}

fn begin(name: &str) -> Value {
    json!({"functionCall": {"name": name, "willContinue": true}})
}

fn end() -> Value {
    json!({"functionCall": {}})
}

fn text(path: &str, text: &str, more: bool) -> Value {
    json!({"jsonPath": path, "stringValue": text, "willContinue": more})
}

/// A call of a tool that changes a file.
fn whole() -> String {
    let signed =
        json!({"functionCall": {"name": "edit", "willContinue": true}, "thoughtSignature": "s"});
    let number = json!({"jsonPath": "$.edits[0].line", "numberValue": 3.0});
    let flag = json!({"jsonPath": "$.edits[0]['in place']", "boolValue": true});
    let none = json!({"jsonPath": "$.edits[1].line", "nullValue": "NULL_VALUE"});
    let parts = [
        json!({"text": "I edit."}),
        signed,
        piece(&json!([text("$.path", "src/", true)])),
        piece(&json!([text("$.path", "\u{e9} \"", true), text("$.path", "\n.rs", false)])),
        piece(&json!([number, flag])),
        piece(&json!([text("$.edits[0].text", "a\\b", true)])),
        piece(&json!([text("$.edits[0].text", "", false), none])),
        end(),
    ];
    stream(&parts, Some("STOP"))
}

const ARGUMENTS: &str =
    r#"{"path":"src/é \"\n.rs","edits":[{"line":3,"in place":true,"text":"a\\b"},{"line":null}]}"#;

fn answer(body: &str) -> (Response, Seen) {
    let (response, seen) = read(200, "text/event-stream", [body.as_bytes()], Ended::Whole);
    (response.unwrap(), seen)
}

fn calls(response: &Response) -> Vec<(&str, &str)> {
    response.message.tool_calls().map(|call| (&*call.name, &*call.arguments)).collect()
}

fn one(parts: &[Value]) -> Response {
    answer(&stream(parts, Some("STOP"))).0
}

#[test]
fn s11_2_arguments_in_pieces_become_those_of_one_call() {
    let body = whole();
    let (response, seen) = answer(&body);
    assert_eq!(calls(&response), [("edit", ARGUMENTS)]);
    assert_eq!((response.incomplete.as_ref(), &response.finish), (None, &FinishReason::ToolCalls));
    let call: &ToolCall = response.message.tool_calls().next().unwrap();
    assert_eq!(call.provider.as_ref().unwrap().data, json!({"thoughtSignature": "s"}));
    let parsed: Value = call.parse().unwrap();
    assert_eq!(parsed["edits"][0]["line"], 3);
    // What is shown of them adds up to the text of the arguments.
    assert_eq!(seen.calls, [("edit".to_owned(), ARGUMENTS.to_owned())]);
    for at in 0..=body.len() {
        let (first, second) = body.as_bytes().split_at(at);
        let (again, deltas) = read(200, "text/event-stream", [first, second], Ended::Whole);
        assert_eq!(again.as_ref(), Ok(&response), "split at {at}");
        assert_eq!((deltas.calls, deltas.text), (seen.calls.clone(), seen.text.clone()), "{at}");
    }
    let bytes = read(200, "text/event-stream", body.as_bytes().chunks(1), Ended::Whole);
    assert_eq!((bytes.0, bytes.1.calls), (Ok(response), seen.calls));
}

#[test]
fn s11_3_arguments_of_an_answer_that_breaks_off_are_a_beginning() {
    let body = whole();
    let mut beginnings = 0;
    for at in 0..body.len() {
        let begun = &body.as_bytes()[..at];
        let Ok(response) = read(200, "text/event-stream", [begun], Ended::Cut).0 else { continue };
        let ended = response.finish == FinishReason::ToolCalls;
        assert_eq!(response.incomplete, (!ended).then_some(Incomplete::Cut), "{at}");
        for (name, arguments) in calls(&response) {
            assert!(name == "edit" && ARGUMENTS.starts_with(arguments), "{at}: {arguments}");
            beginnings += usize::from(arguments.len() < ARGUMENTS.len());
        }
    }
    assert!(beginnings > 100, "{beginnings}");
}

#[test]
fn a_call_ends_with_the_first_piece_that_does_not_go_on() {
    let last = json!({"functionCall": {"partialArgs": [text("$.a", "b", false)]}});
    let with_marker = one(&[begin("f"), last.clone(), end(), json!({"text": "Hi"})]);
    assert_eq!(calls(&with_marker), [("f", r#"{"a":"b"}"#)]);
    // A call in one piece, one without arguments, one after the other.
    let at_once = json!({"functionCall": {"name": "g", "partialArgs": [text("$.a", "c", false)]}});
    let whole = json!({"functionCall": {"name": "h", "args": {"a": 1}}});
    let several = one(&[
        begin("f"),
        last,
        begin("f"),
        end(),
        at_once,
        whole.clone(),
        begin("k"),
        end(),
        end(),
    ]);
    let expected = [
        ("f", r#"{"a":"b"}"#),
        ("f", "{}"),
        ("g", r#"{"a":"c"}"#),
        ("h", r#"{"a":1}"#),
        ("k", "{}"),
    ];
    assert_eq!(calls(&several), expected);
    // All arguments at once, in a piece.
    let all = json!({"functionCall": {"args": {"a": 1}, "willContinue": true}});
    assert_eq!(
        calls(&one(&[begin("f"), all, end(), whole])),
        [("f", r#"{"a":1}"#), ("h", r#"{"a":1}"#)]
    );
}

#[test]
fn words_between_the_pieces_stay_where_they_came() {
    let response = one(&[
        begin("f"),
        piece(&json!([text("$.a", "b", true)])),
        json!({"text": "Hm", "thought": true}),
        json!({"functionCall": {"partialArgs": [text("$.a", "c", false)]}}),
    ]);
    assert_eq!(calls(&response), [("f", r#"{"a":"bc"}"#)]);
    assert_eq!(response.message.parts.len(), 2);
}

#[test]
fn a_call_that_does_not_end_is_cut() {
    let parts = [begin("f"), piece(&json!([text("$.a", "b", true)]))];
    for (reason, incomplete) in [
        (Some("MAX_TOKENS"), Some(Incomplete::LengthInCall)),
        (Some("SAFETY"), Some(Incomplete::from("filter_in_call"))),
        (None, Some(Incomplete::NoEnd)),
        (Some("STOP"), Some(Incomplete::NoEnd)),
    ] {
        let (response, _) = answer(&stream(&parts, reason));
        assert_eq!(
            (calls(&response), &response.incomplete),
            (vec![("f", r#"{"a":"b"#)], &incomplete)
        );
    }
    // An id that is the same does not begin another call.
    let with_id = |more: bool, value: &str| {
        json!({"functionCall": {"id": "1", "name": "f", "willContinue": more,
               "partialArgs": [text("$.a", value, more)]}})
    };
    let same = one(&[with_id(true, "b"), with_id(false, "c")]);
    assert_eq!(calls(&same), [("f", r#"{"a":"bc"}"#)]);
}

#[test]
fn a_call_that_does_not_end_is_cut_even_where_its_arguments_are_json() {
    // A call without arguments runs if they are blank.
    let all = json!({"functionCall": {"name": "f", "args": {"a": 1}, "willContinue": true}});
    for (part, arguments) in [(begin("f"), ""), (all, r#"{"a":1}"#)] {
        for (reason, incomplete) in [
            ("STOP", Incomplete::NoEnd),
            ("MAX_TOKENS", Incomplete::LengthInCall),
            ("SAFETY", Incomplete::from("filter_in_call")),
        ] {
            let response = answer(&stream(std::slice::from_ref(&part), Some(reason))).0;
            assert_eq!(calls(&response), [("f", arguments)]);
            assert_eq!(response.incomplete, Some(incomplete));
        }
        // The reason came, and then what cannot be read, or nothing.
        let begun = json!({"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]});
        for last in ["", "data: {\"candidates\": [{", &stream(&[piece(&bad())], None)] {
            let body = format!("data: {begun}\n\n{last}");
            let cut = read(200, "text/event-stream", [body.as_bytes()], Ended::Cut).0.unwrap();
            assert_eq!(calls(&cut), [("f", arguments)]);
            assert_eq!(cut.incomplete, Some(Incomplete::Cut), "{last}");
        }
    }
}

fn bad() -> Value {
    json!([{"jsonPath": "$..", "boolValue": true}])
}

#[test]
fn a_call_ends_where_another_one_begins() {
    let half = piece(&json!([text("$.a", "b", true)]));
    let value = piece(&json!([text("$.a", "b", true), text("$.a", "c", false)]));
    let whole = json!({"functionCall": {"name": "g", "args": {}}});
    for other in [[begin("g"), end()], [whole, json!({"text": "Hi"})]] {
        let after = |piece: &Value| {
            let parts: Vec<_> =
                [begin("f"), piece.clone()].into_iter().chain(other.clone()).collect();
            answer(&stream(&parts, Some("STOP")))
        };
        let (response, seen) = after(&value);
        assert_eq!(calls(&response), [("f", r#"{"a":"bc"}"#), ("g", "{}")]);
        assert_eq!(response.incomplete, None);
        assert_eq!(seen.calls[0].1, r#"{"a":"bc"}"#);
        // A text of which more should have come is no whole one, and the call does not run.
        let response = after(&half).0;
        assert_eq!(calls(&response), [("f", r#"{"a":"b"#), ("g", "{}")]);
    }
    assert_eq!(calls(&one(&[begin("f"), begin("g"), end()])), [("f", "{}"), ("g", "{}")]);
}

#[test]
fn what_has_no_value_says_nothing() {
    let nothing = json!([{}, {"jsonPath": "$.a"}, {"jsonPath": "..", "willContinue": true}, null, 7,
        {"jsonPath": "$.a", "stringValue": null, "numberValue": null, "listValue": null}]);
    let null =
        json!([{"jsonPath": "$.a", "stringValue": "b", "nullValue": null, "boolValue": null}]);
    let response = one(&[begin("f"), piece(&nothing), piece(&null), piece(&json!("x")), end()]);
    assert_eq!(calls(&response), [("f", r#"{"a":"b"}"#)]);
}

#[test]
fn s13_10_arguments_that_cannot_be_assembled_are_an_error() {
    let value = |path: &str| json!([{"jsonPath": path, "numberValue": 1}]);
    let twice = |first: &str, second: &str| json!([{"jsonPath": first, "numberValue": 1}, {"jsonPath": second, "boolValue": false}]);
    let path = "leads to no value";
    let place = "comes twice, or where another one belongs";
    let kind = "of a kind that is not known";
    for (arguments, problem) in [
        (value(""), path),
        (value("a"), path),
        (value("$..a"), path),
        (value("$.a[*]"), path),
        (value("$['a"), path),
        (json!([{"stringValue": "no path"}]), path),
        (value("$"), place),
        (value("$[0]"), place),
        (value("$.a[4294967296]"), place),
        (value("$.a[1]"), place),
        (twice("$.a", "$.a"), place),
        (twice("$.a", "$.a.b"), place),
        (twice("$.a[0]", "$.a.b"), place),
        (twice("$.a.b", "$.a"), place),
        (json!([{"jsonPath": "$.a", "structValue": {"b": 1}}]), kind),
        (json!([{"jsonPath": "$.a", "numberValue": "NaN"}]), kind),
        (json!([{"jsonPath": "$.a", "boolValue": 1, "stringValue": "b"}]), kind),
    ] {
        let at_once = json!({"functionCall": {"name": "f", "partialArgs": arguments}});
        let body = stream(&[at_once], Some("STOP"));
        let (result, seen) = read(200, "text/event-stream", [body.as_bytes()], Ended::Whole);
        match result {
            Err(Unreadable::NoJson { problem: said, .. }) => {
                assert!(said.contains(problem), "{arguments}: {said}");
            }
            other => panic!("{arguments}: {other:?}"),
        }
        assert!(seen.calls.is_empty(), "{arguments}");
        // What came before it is kept, and does not run.
        let body = stream(&[begin("f"), piece(&arguments), end()], Some("STOP"));
        let (response, _) = answer(&body);
        assert_eq!(
            (calls(&response), response.incomplete.clone()),
            (vec![("f", "")], Some(Incomplete::Cut))
        );
    }
    let both =
        json!({"functionCall": {"args": {"a": 1}, "partialArgs": value("$.b"), "name": "f"}});
    let body = stream(&[both], Some("STOP"));
    let (result, _) = read(200, "text/event-stream", [body.as_bytes()], Ended::Whole);
    assert!(matches!(result, Err(Unreadable::NoJson { .. })), "{result:?}");
}

#[test]
fn s13_10_pieces_are_within_the_bounds_of_an_answer() {
    let deep = "$.a".to_owned() + &"[0]".repeat(1 << 10);
    let names = |piece: usize| -> Vec<_> {
        let named = |n| json!({"jsonPath": format!("$.a{piece}_{n}"), "boolValue": true});
        (0..100).map(named).collect()
    };
    let many: Vec<_> = (0..20).map(|at| piece(&Value::from(names(at)))).collect();
    let long = "x".repeat(20_000);
    let numbers: Vec<_> =
        (0..2_000).map(|n| json!({"jsonPath": format!("$.a[{n}]"), "numberValue": 0.5})).collect();
    for (parts, bound) in [
        (vec![piece(&json!([{"jsonPath": deep, "boolValue": true}]))], "`nesting`"),
        (vec![piece(&json!([text("$.a", &long, true)])); 4], "`answer_bytes`"),
        (many, "`answer_bytes`"),
        (vec![piece(&Value::from(numbers))], "`values`"),
        (vec![begin("f"); 20], "`calls`"),
    ] {
        let strict =
            Bounds { answer_bytes: 64 << 10, values: 1_000, calls: 16, ..Bounds::default() };
        let (asked, kind) = (Streaming::Yes, Some("text/event-stream"));
        let mut reply = Reply::within(strict, Api::GenerateContent, 200, kind, asked);
        let parts: Vec<_> = std::iter::once(begin("f")).chain(parts).collect();
        reply.push(stream(&parts, Some("STOP")).as_bytes(), &mut |_: Delta<'_>| Continue(()));
        let response = reply.finish(Ended::Whole).unwrap();
        assert_eq!(response.incomplete, Some(Incomplete::OverBound));
        let said = response.bound.unwrap();
        assert!(said.contains(bound), "{said}");
    }
}

#[test]
fn a_long_text_in_many_pieces_takes_no_longer_for_each() {
    // Were each of them to read what came before, this would not end.
    let pieces = (0..200).map(|_| piece(&Value::from(vec![text("$.a.b[0]", "word ", true); 100])));
    let parts: Vec<_> = std::iter::once(begin("f")).chain(pieces).chain([end()]).collect();
    let response = one(&parts);
    let call = response.message.tool_calls().next().unwrap();
    let parsed: Value = call.parse().unwrap();
    assert_eq!(parsed["a"]["b"][0].as_str().unwrap().len(), 100_000);
}

#[test]
fn words_before_the_pieces_make_none_of_them_slower() {
    // Were each of them to look for its call among the words, this would not end.
    let words = (0..20_000).map(|at| json!({"text": "a", "thought": at % 2 == 0}));
    let pieces = (0..20_000).map(|_| piece(&json!([text("$.a", "b", true)])));
    let parts: Vec<_> =
        std::iter::once(begin("f")).chain(words).chain(pieces).chain([end()]).collect();
    let response = one(&parts);
    assert_eq!(response.message.tool_calls().next().unwrap().arguments.len(), 20_008);
}

#[test]
fn pieces_are_asked_for_with_tools_and_in_a_stream_alone() {
    let stream = json!({"streamFunctionCallArguments": true});
    let model = gemini::vertex("p", "global", "gemini-3-pro-preview")
        .field("toolConfig", json!({"functionCallingConfig": stream}))
        .build()
        .unwrap();
    let body = |request: &ModelRequest, asked| -> Value {
        serde_json::from_slice(&model.body(request, asked).unwrap()).unwrap()
    };
    let mut request = question("Hi?");
    for asked in [Streaming::Yes, Streaming::No] {
        assert_eq!(body(&request, asked).get("toolConfig"), None);
    }
    let tool = Arc::new(ToolSpec::new("f", "Does.", json!({"type": "object"})));
    request.tools = Arc::new(ToolSpecs::new(vec![tool]));
    let streamed = body(&request, Streaming::Yes);
    assert_eq!(streamed["toolConfig"], json!({"functionCallingConfig": stream}));
    assert!(schema::is_valid(&streamed));
    assert_eq!(body(&request, Streaming::No).get("toolConfig"), None);
    request.tool_choice = ToolChoice::Required;
    let both = json!({"mode": "ANY", "streamFunctionCallArguments": true});
    assert_eq!(body(&request, Streaming::Yes)["toolConfig"]["functionCallingConfig"], both);
    let whole = json!({"functionCallingConfig": {"mode": "ANY"}});
    assert_eq!(body(&request, Streaming::No)["toolConfig"], whole);
}

//! Answers that no recording holds.

use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Part};
use std::ops::ControlFlow;

use legwork_models::Api;
use legwork_models::answer::{Ended, Reply, Streaming, Unreadable};
use legwork_port::Delta;
use serde_json::{Value, json};

use super::{candidate, read};
use crate::allocated;

fn stream(chunks: &[Value]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).collect()
}

fn parts(parts: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}}]})
}

fn finish(reason: &str) -> Value {
    json!({"candidates": [{"content": {}, "finishReason": reason}]})
}

#[test]
fn each_finish_reason_is_one_of_ours_or_kept() {
    let filters = [
        "SAFETY",
        "RECITATION",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "MODEL_ARMOR",
        "IMAGE_SAFETY",
    ];
    for reason in filters {
        let response = candidate(&json!({"content": {}, "finishReason": reason}));
        assert_eq!(response.finish, FinishReason::ContentFilter, "{reason}");
    }
    for reason in ["MALFORMED_FUNCTION_CALL", "OTHER", "LANGUAGE", "NEVER_HEARD_OF"] {
        let response = candidate(&json!({"finishReason": reason, "finishMessage": "Why."}));
        assert_eq!(response.finish.as_str(), reason);
        assert_eq!(response.raw["choice"]["finishMessage"], "Why.");
        assert_eq!(response.incomplete, None);
    }
}

#[test]
fn a_reason_that_comes_before_its_calls_is_known_to_end_with_calls() {
    let body = r#"{"candidates":[{"finishReason":"STOP",
        "content":{"parts":[{"functionCall":{"name":"f"}}]}}]}"#;
    let response = read(200, "application/json", [body.as_bytes()], Ended::Whole).0.unwrap();
    assert_eq!(response.finish, FinishReason::ToolCalls);
    let call = response.message.tool_calls().next().unwrap();
    assert_eq!((call.id.as_str(), &*call.arguments), ("call_0", "{}"));
}

#[test]
fn calls_of_one_name_are_as_many_calls() {
    let call = json!({"functionCall": {"name": "f", "args": {"a": 1}}});
    let body = stream(&[parts(json!([call, call])), parts(json!([call])), finish("STOP")]);
    let (response, seen) = read(200, "text/event-stream", [body.as_bytes()], Ended::Whole);
    let response = response.unwrap();
    let ids: Vec<_> = response.message.tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_0", "call_1", "call_2"]);
    assert_eq!(response.finish, FinishReason::ToolCalls);
    assert!(seen.calls.iter().all(|call| *call == ("f".to_owned(), r#"{"a":1}"#.to_owned())));
}

#[test]
fn a_blocked_prompt_is_an_answer_of_the_filter() {
    let chunk = json!({"promptFeedback": {"blockReason": "SAFETY"},
                       "usageMetadata": {"promptTokenCount": 4, "totalTokenCount": 4}});
    for (content_type, body) in [
        ("application/json", chunk.to_string()),
        ("text/event-stream", stream(std::slice::from_ref(&chunk))),
    ] {
        let response = read(200, content_type, [body.as_bytes()], Ended::Whole).0.unwrap();
        assert_eq!(response.finish, FinishReason::ContentFilter);
        assert_eq!(response.raw["promptFeedback"]["blockReason"], "SAFETY");
        assert_eq!((response.usage.unwrap().input, response.incomplete), (4, None));
        assert!(response.message.parts.is_empty());
    }
}

#[test]
fn a_signature_holds_words_apart() {
    let body = stream(&[
        parts(json!([{"text": "Hm", "thought": true}])),
        parts(json!([{"text": ".", "thought": true}])),
        parts(json!([{"text": "A", "thoughtSignature": "s1"}])),
        parts(json!([{"text": "b"}])),
        parts(json!([{"text": "c"}, {"text": ""}])),
        parts(json!([{"text": "", "thoughtSignature": "s2"}])),
        parts(json!([{"thoughtSignature": "s3"}])),
        finish("STOP"),
    ]);
    let (response, seen) = read(200, "text/event-stream", [body.as_bytes()], Ended::Whole);
    let signed = |part: &Part| part.provider().map(|p| p.data.value()["thoughtSignature"].clone());
    let said: Vec<_> = response
        .unwrap()
        .message
        .parts
        .iter()
        .map(|part| match part {
            Part::Thinking(t) => (format!("({})", t.text), signed(part)),
            part => (part.as_text().unwrap().to_owned(), signed(part)),
        })
        .collect();
    let signature = |text: &str| Some(Value::from(text));
    let expected = [
        ("(Hm.)", None),
        ("A", signature("s1")),
        ("bc", None),
        ("", signature("s2")),
        ("", signature("s3")),
    ];
    assert_eq!(said, expected.map(|(text, signature)| (text.to_owned(), signature)));
    assert_eq!((&*seen.text, &*seen.thinking), ("Abc", "Hm."));
}

#[test]
fn s11_4_what_is_unknown_is_kept() {
    let response = candidate(&json!({
        "content": {"parts": [
            {"text": "A", "partMetadata": {"k": 1}},
            {"hologram": {"data": "x"}, "thoughtSignature": "s"},
            {"functionCall": {"name": "f", "args": {"a": 1}, "mood": "good"}, "aside": true},
            {"functionCall": {"name": "g", "partialArgs": [{"jsonPath": "$.a"}], "willContinue": true}},
            {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
        ], "tone": "warm"},
        "finishReason": "STOP",
        "safetyRatings": [{"category": "X"}],
        "citationMetadata": {"citationSources": [{"uri": "u"}]},
        "urlContextMetadata": {"urlMetadata": []},
    }));
    let parts = &response.message.parts;
    assert_eq!(parts[0].provider().unwrap().data, json!({"partMetadata": {"k": 1}}));
    let hologram = json!({"hologram": {"data": "x"}, "thoughtSignature": "s"});
    assert_eq!(parts[1], Part::Other(hologram));
    let fields = json!({"functionCall": {"mood": "good"}, "aside": true});
    assert_eq!(parts[2].provider().unwrap().data, fields);
    // Its arguments are not whole, so it must not run.
    assert!(matches!(&parts[3], Part::Other(part) if part["functionCall"]["name"] == "g"));
    assert!(matches!(&parts[4], Part::Other(part) if part["inlineData"]["data"] == "aGk="));
    let choice = &response.raw["choice"];
    assert_eq!(choice["safetyRatings"][0]["category"], "X");
    assert_eq!(choice["citationMetadata"]["citationSources"][0]["uri"], "u");
    assert_eq!(response.raw["message"]["tone"], "warm");
}

#[test]
fn what_has_another_type_than_expected_is_no_error() {
    for body in [
        r#"{"candidates": 7, "usageMetadata": []}"#,
        r#"{"candidates": [null], "usageMetadata": {"promptTokenCount": "x"}}"#,
        r#"{"candidates": {"content": {"parts": ["a", 1, null, {"text": 5}]}}}"#,
        r#"{"candidates": [{"content": {"parts": {"functionCall": "f"}}, "finishReason": null}]}"#,
        r#"{"promptFeedback": "no"}"#,
    ] {
        read(200, "application/json", [body.as_bytes()], Ended::Whole).0.expect(body);
    }
}

#[test]
fn an_error_inside_a_stream_has_its_status() {
    let error = json!({"error": {"code": 503, "message": "Overloaded.", "status": "UNAVAILABLE"}});
    let read = |events: &[Value]| {
        read(200, "text/event-stream", [stream(events).as_bytes()], Ended::Whole).0
    };
    let Err(Unreadable::Api(first)) = read(std::slice::from_ref(&error)) else {
        panic!("no error")
    };
    assert_eq!((first.status, first.code.as_deref()), (503, Some("UNAVAILABLE")));
    let later = read(&[parts(json!([{"text": "Hi"}])), error]).unwrap();
    assert_eq!(
        (&later.raw["error"]["status"], &later.raw["error"]["code"]),
        (&json!(503), &json!("UNAVAILABLE"))
    );
    assert_eq!((later.text().as_str(), later.incomplete), ("Hi", Some(Incomplete::Cut)));
}

#[test]
fn the_last_usage_of_a_stream_counts_with_its_details() {
    let usage = |output: u64| {
        json!({"promptTokenCount": 9, "candidatesTokenCount": output, "thoughtsTokenCount": 3,
               "toolUsePromptTokenCount": 2, "cachedContentTokenCount": 4, "totalTokenCount": 99,
               "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 9}],
               "serviceTier": "standard"})
    };
    let chunk = |text: &str, output: u64, reason: Option<&str>| {
        let content = json!({"parts": [{"text": text}]});
        json!({"candidates": [{"content": content, "finishReason": reason}],
               "usageMetadata": usage(output)})
    };
    let body = stream(&[chunk("a", 1, None), chunk("b", 2, None), chunk("c", 5, Some("STOP"))]);
    let response = read(200, "text/event-stream", [body.as_bytes()], Ended::Whole).0.unwrap();
    let used = response.usage.unwrap();
    assert_eq!((used.input, used.output, used.reasoning, used.cache_read), (11, 8, 3, 4));
    let details = json!([{"modality": "TEXT", "tokenCount": 9}]);
    assert_eq!(response.raw["usage"]["promptTokensDetails"], details);
}

#[test]
fn counts_that_fall_are_those_of_the_last_chunk() {
    let chunk = |reason: Option<&str>, usage: Value| {
        let content = json!({"parts": [{"text": "a"}]});
        json!({"candidates": [{"content": content, "finishReason": reason}],
               "usageMetadata": usage})
    };
    let first =
        json!({"promptTokenCount": 9, "candidatesTokenCount": 15, "thoughtsTokenCount": 78});
    let last = json!({"promptTokenCount": 87, "thoughtsTokenCount": 70});
    let body = stream(&[chunk(None, first.clone()), chunk(Some("STOP"), last)]);
    let response = read(200, "text/event-stream", [body.as_bytes()], Ended::Whole).0.unwrap();
    assert_eq!(response.usage.map(|u| (u.input, u.output, u.reasoning)), Some((87, 70, 70)));
    let cut = stream(&[chunk(None, first), chunk(None, json!({"promptTokenCount": 9}))]);
    let response = read(200, "text/event-stream", [cut.as_bytes()], Ended::Cut).0.unwrap();
    assert_eq!(response.usage.map(|u| (u.input, u.output, u.reasoning)), Some((9, 93, 78)));
}

#[test]
fn a_chunk_of_text_allocates_no_more_than_its_text() {
    let chunk = |thought: bool| {
        stream(&[json!({
            "candidates": [{"content": {"role": "model", "parts": [{"text": "word ", "thought": thought}]},
                            "index": 0}],
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 1, "totalTokenCount": 10,
                              "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 9}],
                              "serviceTier": "standard"},
            "modelVersion": "gemini-2.5-flash", "responseId": "r"})])
    };
    for thought in [false, true] {
        let (chunk, mut seen) = (chunk(thought), 0);
        let mut reply =
            Reply::new(Api::GenerateContent, 200, Some("text/event-stream"), Streaming::Yes);
        let mut show = |_: Delta<'_>| {
            seen += 1;
            ControlFlow::Continue(())
        };
        reply.push(chunk.as_bytes(), &mut show);
        let times = allocated::times(|| {
            (0..1_000).for_each(|_| reply.push(chunk.as_bytes(), &mut show));
        });
        assert_eq!(seen, 1_001);
        // The text grows to the next power of two.
        assert!(times <= 12, "{times}");
    }
}

//! Answers that no recording holds.

use legwork_core::Part;
use legwork_core::inference::Incomplete;
use legwork_models::Api;
use legwork_models::answer::{Ended, Unreadable};
use serde_json::{Value, json};

use super::frames::{begun, ended};
use crate::answers::{read_as, summary};
use crate::wires::bedrock::{FRAMES, event, exception, frame};

fn stream(frames: &[Vec<u8>]) -> legwork_core::Response {
    read_as(Api::Converse, 200, FRAMES, [&*frames.concat()], Ended::Whole).0.unwrap()
}

#[test]
fn s11_3_an_exception_inside_a_stream_is_an_error() {
    let check = |name: &'static str, status: u16| {
        let failed = exception(name, &json!({"message": "Too many."}));
        let bytes = [begun(), failed, ended()].concat();
        let (read, seen) = read_as(Api::Converse, 200, FRAMES, [&*bytes], Ended::Whole);
        let said = json!({"error": {"status": status, "code": name, "message": "Too many."}});
        assert_eq!((summary(&read), seen.text.as_str()), (said, "Hello"));
        let response = read.unwrap();
        assert_eq!(response.text(), "Hello");
        let expected = match status {
            400 => Incomplete::from("failed"),
            _ => Incomplete::Cut,
        };
        assert_eq!(response.incomplete, Some(expected), "{name}");
        let alone = exception(name, &json!({"message": "Too many."}));
        let read = read_as(Api::Converse, 200, FRAMES, [&*alone], Ended::Whole).0;
        assert!(matches!(read, Err(Unreadable::Api(error)) if error.status == status), "{name}");
    };
    check("throttlingException", 429);
    check("modelStreamErrorException", 424);
    check("internalServerException", 500);
    check("serviceUnavailableException", 503);
    check("validationException", 400);
    check("novelException", 500);
    let headers = [
        (":message-type", "error"),
        (":error-code", "InternalError"),
        (":error-message", "It broke."),
    ];
    let mut message = frame(&headers, "\"\"");
    let read = |bytes: &[u8]| read_as(Api::Converse, 200, FRAMES, [bytes], Ended::Whole).0;
    assert_eq!(summary(&read(&message))["error"]["code"], "InternalError");
    message.truncate(message.len() - 1);
    assert_eq!(
        summary(&read(&message))["unreadable"],
        "the answer ended before it began",
        "the frame is not whole"
    );
}

#[test]
fn s11_4_unknown_events_blocks_and_reasons_are_kept_or_passed_over() {
    let response = stream(&[
        begun(),
        event("novelEvent", &json!({"novel": {"deep": [1]}})),
        event(
            "contentBlockStart",
            &json!({"contentBlockIndex": 1, "start": {"novelBlock": {"x": [1]}}}),
        ),
        event(
            "contentBlockDelta",
            &json!({"contentBlockIndex": 1, "delta": {"novelDelta": {"x": 2}}}),
        ),
        event(
            "messageStop",
            &json!({"stopReason": "novel_reason",
            "additionalModelResponseFields": {"stop_sequence": "END"}}),
        ),
        event(
            "metadata",
            &json!({"usage": {"inputTokens": 3, "outputTokens": 2,
            "cacheReadInputTokens": 5, "cacheWriteInputTokens": 7, "totalTokens": 17,
            "cacheDetails": [{"ttl": "5m", "inputTokens": 3}, {"ttl": "1h", "inputTokens": 4}]},
            "serviceTier": {"type": "flex"}}),
        ),
    ]);
    assert_eq!((response.finish.as_str(), response.incomplete), ("novel_reason", None));
    assert_eq!(response.message.parts[1], Part::Other(json!({"novelBlock": {"x": [1]}})));
    assert_eq!(response.raw["serviceTier"]["type"], "flex");
    assert_eq!(response.raw["additionalModelResponseFields"]["stop_sequence"], "END");
    let usage = response.usage.unwrap();
    assert_eq!((usage.input, usage.output), (15, 2));
    assert_eq!((usage.cache_read, usage.cache_write, usage.cache_write_hour), (5, 7, 4));
}

#[test]
fn s11_4_fields_of_an_answer_that_errors_have_too_are_kept() {
    let body = json!({"message": "Deprecated.", "error": null, "stopReason": "end_turn",
        "output": {"message": {"role": "assistant", "content": [{"text": "Hi."}]}}});
    let read = |body: &Value| {
        let body = body.to_string();
        read_as(Api::Converse, 200, "application/json", [body.as_bytes()], Ended::Whole).0
    };
    let response = read(&body).unwrap();
    assert_eq!((response.text().as_str(), response.incomplete), ("Hi.", None));
    assert_eq!(response.raw["message"], "Deprecated.");
    for error in [json!({"message": "No."}), json!({"error": {"message": "No.", "code": 500}})] {
        let Err(Unreadable::Api(error)) = read(&error) else { panic!("{error}") };
        assert_eq!((error.status, &*error.message), (500, "No."));
    }
}

#[test]
fn a_stop_of_a_guardrail_is_one_of_a_filter() {
    for reason in ["guardrail_intervened", "content_filtered"] {
        let body = json!({"output": {"message": {"role": "assistant", "content": [{"text": "No."}]}},
            "stopReason": reason, "usage": {"inputTokens": 1, "outputTokens": 1}});
        let bytes = body.to_string();
        let read =
            read_as(Api::Converse, 200, "application/json", [bytes.as_bytes()], Ended::Whole);
        assert_eq!(summary(&read.0)["finish"], "content_filter");
    }
}

#[test]
fn calls_and_citations_come_in_pieces() {
    let block = |index: u64, start: Value| {
        event("contentBlockStart", &json!({"contentBlockIndex": index, "start": start}))
    };
    let delta = |index: u64, delta: Value| {
        event("contentBlockDelta", &json!({"contentBlockIndex": index, "delta": delta}))
    };
    let cited = json!({"title": "T", "location": {"web": {"url": "https://x"}}});
    let response = stream(&[
        begun(),
        delta(0, json!({"citation": cited})),
        block(1, json!({"toolUse": {"toolUseId": "t1", "name": "add"}})),
        block(2, json!({"toolUse": {"toolUseId": "t2", "name": "now"}})),
        delta(1, json!({"toolUse": {"input": "{\"a\":"}})),
        delta(1, json!({"toolUse": {"input": "1}"}})),
        ended(),
    ]);
    let calls: Vec<_> = response.message.tool_calls().collect();
    assert_eq!((&*calls[0].arguments, &*calls[1].arguments), ("{\"a\":1}", ""));
    let Part::Text(text) = &response.message.parts[0] else { panic!("{response:?}") };
    let data = text.provider.as_ref().unwrap();
    assert_eq!(data.data.value()["citations"], json!([cited]));
}

#[test]
fn an_answer_of_another_api_is_recognised() {
    let body = r#"{"choices":[{"message":{"content":"Hi"}}]}"#;
    let read = read_as(Api::Converse, 200, "application/json", [body.as_bytes()], Ended::Whole);
    let why = summary(&read.0)["unreadable"].to_string();
    assert!(why.contains("not an answer of Bedrock Converse"), "{why}");
}

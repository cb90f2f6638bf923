//! Fields and events that come late, and JSON that says the same in other letters.

use legwork_core::inference::Incomplete;
use legwork_core::{Part, Response};
use legwork_models::Api;
use legwork_models::answer::Ended;

use crate::answers::read_as;

const EVENTS: &str = "text/event-stream";

/// What came of a stream with these events.
fn stream(api: Api, events: &[&str]) -> Response {
    let bytes: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    read_as(api, 200, EVENTS, [bytes.as_bytes()], Ended::Whole).0.unwrap()
}

/// The arguments of the only part, which is a call.
fn arguments(response: &Response) -> &str {
    let [Part::ToolCall(call)] = &response.message.parts[..] else { panic!("{response:?}") };
    &call.arguments
}

#[cfg(feature = "openai")]
#[test]
fn an_id_that_comes_after_the_first_chunk_is_known() {
    // Azure OpenAI begins with what it found in the prompt.
    let response = stream(
        Api::ChatCompletions,
        &[
            r#"{"id":"","model":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]}"#,
            r#"{"id":"c1","model":"m","system_fingerprint":"fp","choices":[{"delta":{"content":"Hi"}}]}"#,
            r#"{"id":"c2","choices":[{"delta":{},"finish_reason":"stop"}]}"#,
        ],
    );
    assert_eq!((response.id.as_deref(), response.model.as_deref()), (Some("c1"), Some("m")));
    assert_eq!(response.raw["system_fingerprint"], "fp");
}

#[cfg(feature = "gemini")]
#[test]
fn an_id_that_comes_after_the_first_chunk_of_gemini_is_known() {
    let response = stream(
        Api::GenerateContent,
        &[
            r#"{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}"#,
            r#"{"responseId":"r1","modelVersion":"m","candidates":[{"finishReason":"STOP"}]}"#,
        ],
    );
    assert_eq!((response.id.as_deref(), response.model.as_deref()), (Some("r1"), Some("m")));
}

#[cfg(feature = "gemini")]
#[test]
fn a_call_with_an_empty_list_of_partial_arguments_is_whole() {
    let part = r#"{"functionCall":{"name":"f","args":{"a":1},"partialArgs":[ ]}}"#;
    let chunk =
        format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}},"finishReason":"STOP"}}]}}"#);
    assert_eq!(arguments(&stream(Api::GenerateContent, &[&chunk])), r#"{"a":1}"#);
}

#[cfg(feature = "anthropic")]
#[test]
fn a_call_that_begins_with_a_spaced_empty_input_has_the_input_that_follows() {
    let response = stream(
        Api::Messages,
        &[
            r#"{"type":"content_block_start","content_block":{"type":"tool_use","name":"f","input":{ }}}"#,
            r#"{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
        ],
    );
    assert_eq!(arguments(&response), r#"{"a":1}"#);
}

#[cfg(feature = "responses")]
#[test]
fn a_call_whose_type_is_written_with_escapes_is_a_call() {
    let item = r#"{"type":"function\u005fcall","call_id":"c","name":"f","arguments":"{}"}"#;
    let done = format!(r#"{{"type":"response.output_item.done","item":{item}}}"#);
    let end = r#"{"type":"response.completed","response":{"status":"completed"}}"#;
    assert_eq!(arguments(&stream(Api::Responses, &[&done, end])), "{}");
}

#[cfg(feature = "bedrock")]
#[test]
fn a_call_of_bedrock_that_begins_with_a_spaced_empty_input_has_the_input_that_follows() {
    use serde_json::json;

    use crate::wires::bedrock::{FRAMES, event, frame};

    let begun = r#"{"contentBlockIndex":0,"start":{"toolUse":{"name":"f","input":{ }}}}"#;
    let input = json!({"contentBlockIndex": 0, "delta": {"toolUse": {"input": "{\"a\":1}"}}});
    let bytes = [
        frame(&[(":message-type", "event"), (":event-type", "contentBlockStart")], begun),
        event("contentBlockDelta", &input),
        event("messageStop", &json!({"stopReason": "tool_use"})),
    ];
    let read = read_as(Api::Converse, 200, FRAMES, [&*bytes.concat()], Ended::Whole).0.unwrap();
    assert_eq!(arguments(&read), r#"{"a":1}"#);
}

#[cfg(feature = "openai")]
#[test]
fn s11_3_nothing_is_read_after_an_error_however_the_stream_is_cut() {
    let events: [&[u8]; 3] = [
        b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n",
        b"data: {\"error\":{\"message\":\"busy\",\"code\":503}}\n\n",
        b"data: {\"choices\":[{\"delta\":{\"content\":\" you\"}}]}\n\n",
    ];
    let read = |pieces: &[&[u8]]| {
        let pieces = pieces.iter().copied();
        read_as(Api::ChatCompletions, 200, EVENTS, pieces, Ended::Whole)
    };
    let (whole, cut) = (read(&[&events.concat()]), read(&events));
    assert_eq!(whole, cut);
    let response = whole.0.unwrap();
    assert_eq!((response.text(), response.incomplete), ("Hi".to_owned(), Some(Incomplete::Cut)));
}

//! What a server of each API answers in a handoff: thinking and a call, or a text.

use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
use legwork::model::Api;
use serde_json::{Value, json};

/// How a server was asked.
pub(super) struct Asked {
    api: &'static str,
    pub(super) streamed: bool,
}

impl Asked {
    pub(super) fn of(path: &str, body: &Value) -> Self {
        let api = Api::of_path(path.split('?').next().unwrap()).unwrap().name();
        let by_path = path.contains(":streamGenerateContent") || path.ends_with("/converse-stream");
        Self { api, streamed: by_path || body["stream"] == true }
    }
}

/// What a server sends.
pub(super) struct Sent {
    pub(super) content_type: &'static str,
    pub(super) body: Vec<u8>,
}

const EVENTS: &str = "text/event-stream";

/// The answer to a request: a call whose id other providers refuse, or at last a text.
pub(super) fn answer(asked: &Asked, number: usize, is_last: bool) -> Sent {
    let id = format!("functions.add:{number}-{}", "x".repeat(40));
    match (asked.api, asked.streamed) {
        ("bedrock", true) => {
            Sent { content_type: "application/vnd.amazon.eventstream", body: frames(&id) }
        }
        (_, true) => {
            let all = events(asked.api, &id, is_last);
            let text: String = all.iter().map(|event| format!("data: {event}\n\n")).collect();
            Sent { content_type: EVENTS, body: text.into_bytes() }
        }
        (_, false) => {
            let body = whole(asked.api, &id, is_last).to_string().into_bytes();
            Sent { content_type: "application/json", body }
        }
    }
}

fn whole(api: &str, id: &str, is_last: bool) -> Value {
    match (api, is_last) {
        ("chat", false) => json!({"choices": [{"finish_reason": "tool_calls", "message": {
            "content": "Let me add.", "reasoning_content": "Add them.", "tool_calls": [{"id": id,
                "type": "function",
                "function": {"name": "add", "arguments": "{\"a\":17,\"b\":25}"}}]}}]}),
        ("chat", true) => {
            json!({"choices": [{"finish_reason": "stop", "message": {"content": "42"}}]})
        }
        ("messages", _) => json!({"type": "message", "stop_reason": "tool_use", "content": [
            {"type": "thinking", "thinking": "Add them.", "signature": "of-anthropic"},
            {"type": "tool_use", "id": id, "name": "add", "input": {"a": 17, "b": 25}}]}),
        ("gemini", _) => json!({"candidates": [{"finishReason": "STOP", "content": {
            "role": "model", "parts": [
                {"text": "Add them.", "thought": true},
                {"functionCall": {"name": "add", "args": {"a": 17, "b": 25}},
                    "thoughtSignature": "of-google"}]}}]}),
        ("bedrock", _) => json!({"stopReason": "tool_use", "output": {"message": {
            "role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {
                    "text": "Add them.", "signature": "of-bedrock"}}},
                {"toolUse": {"toolUseId": id, "name": "add", "input": {"a": 17, "b": 25}}}]}}}),
        ("responses", _) => json!({"object": "response", "status": "completed", "output": [
            {"type": "reasoning", "id": "rs_1", "encrypted_content": "of-openai",
                "summary": [{"type": "summary_text", "text": "Add them."}]},
            {"type": "function_call", "id": "fc_1", "call_id": id, "name": "add",
                "arguments": "{\"a\":17,\"b\":25}", "status": "completed"}]}),
        (other, _) => panic!("nothing is known of {other}"),
    }
}

/// The same answer as the events of a stream.
fn events(api: &str, id: &str, is_last: bool) -> Vec<Value> {
    let chunk = |delta: Value, finish: Option<&str>| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    match (api, is_last) {
        ("chat", true) => vec![chunk(json!({"content": "42"}), Some("stop"))],
        ("chat", false) => vec![
            chunk(json!({"reasoning_content": "Add "}), None),
            chunk(json!({"reasoning_content": "them."}), None),
            chunk(json!({"content": "Let me add."}), None),
            chunk(
                json!({"tool_calls": [{"index": 0, "id": id, "type": "function",
                "function": {"name": "add", "arguments": ""}}]}),
                None,
            ),
            chunk(
                json!({"tool_calls": [{"index": 0,
                "function": {"arguments": "{\"a\":17,\"b\":25}"}}]}),
                Some("tool_calls"),
            ),
        ],
        ("messages", _) => vec![
            json!({"type": "message_start", "message": {"type": "message", "content": []}}),
            json!({"type": "content_block_start", "index": 0,
                "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
            json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "thinking_delta", "thinking": "Add them."}}),
            json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "signature_delta", "signature": "of-anthropic"}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "content_block_start", "index": 1,
                "content_block": {"type": "tool_use", "id": id, "name": "add", "input": {}}}),
            json!({"type": "content_block_delta", "index": 1,
                "delta": {"type": "input_json_delta", "partial_json": "{\"a\":17,\"b\":25}"}}),
            json!({"type": "content_block_stop", "index": 1}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
            json!({"type": "message_stop"}),
        ],
        ("gemini", _) => vec![whole(api, id, is_last)],
        ("responses", _) => {
            vec![json!({"type": "response.completed", "response": whole(api, id, is_last)})]
        }
        (other, _) => panic!("nothing is known of {other}"),
    }
}

/// The same answer in frames, as Bedrock streams it.
fn frames(id: &str) -> Vec<u8> {
    let delta = |index: usize, delta: Value| {
        ("contentBlockDelta", json!({"contentBlockIndex": index, "delta": delta}))
    };
    let events = [
        ("messageStart", json!({"role": "assistant"})),
        delta(0, json!({"reasoningContent": {"text": "Add them."}})),
        delta(0, json!({"reasoningContent": {"signature": "of-bedrock"}})),
        ("contentBlockStop", json!({"contentBlockIndex": 0})),
        (
            "contentBlockStart",
            json!({"contentBlockIndex": 1,
            "start": {"toolUse": {"toolUseId": id, "name": "add"}}}),
        ),
        delta(1, json!({"toolUse": {"input": "{\"a\":17,\"b\":25}"}})),
        ("contentBlockStop", json!({"contentBlockIndex": 1})),
        ("messageStop", json!({"stopReason": "tool_use"})),
        ("metadata", json!({"metrics": {"latencyMs": 7}})),
    ];
    let mut bytes = Vec::new();
    for (kind, payload) in events {
        let header = |name: &'static str, value: &'static str| {
            Header::new(name, HeaderValue::String(value.into()))
        };
        let message = Message::new(payload.to_string().into_bytes())
            .add_header(header(":message-type", "event"))
            .add_header(header(":event-type", kind));
        write_message_to(&message, &mut bytes).unwrap();
    }
    bytes
}

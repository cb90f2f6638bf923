//! Answers of Bedrock's Converse.

use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
use bytes::Bytes;
use serde_json::{Value, json};

use super::{Events, Facts};
use crate::script::TOKEN;

/// The content type of a stream.
pub(super) const FRAMES: &str = "application/vnd.amazon.eventstream";

/// The unstreamed form of an answer.
pub(super) fn whole(facts: &Facts) -> Value {
    let content: Vec<_> = match facts.asks() {
        true => (0..facts.script.calls).map(|index| call(facts, index)).collect(),
        false => vec![json!({"text": TOKEN.repeat(facts.script.tokens)})],
    };
    json!({
        "metrics": {"latencyMs": 0},
        "output": {"message": {"content": content, "role": "assistant"}},
        "stopReason": stop_reason(facts),
        "usage": usage(facts),
    })
}

/// The streamed form of an answer.
pub(super) fn events(facts: &Facts) -> Events {
    let mut opening = vec![event("messageStart", json!({"role": "assistant"}))];
    let mut closing = Vec::new();
    match facts.asks() {
        true => opening.extend((0..facts.script.calls).flat_map(|index| call_events(facts, index))),
        false => closing.push(event("contentBlockStop", json!({"contentBlockIndex": 0}))),
    }
    closing.push(event("messageStop", json!({"stopReason": stop_reason(facts)})));
    let metadata = json!({"metrics": {"latencyMs": 0}, "usage": usage(facts)});
    closing.push(event("metadata", metadata));
    Events { opening, token: delta(0, &json!({"text": TOKEN})), closing }
}

fn call(facts: &Facts, index: usize) -> Value {
    json!({"toolUse": {
        "input": {"a": facts.turn, "b": index}, "name": "add", "toolUseId": facts.call_id(index),
        "type": "tool_use",
    }})
}

/// A call: its beginning, its arguments and its end.
fn call_events(facts: &Facts, index: usize) -> [Bytes; 3] {
    let start = json!({"toolUse": {
        "name": "add", "toolUseId": facts.call_id(index), "type": "tool_use",
    }});
    [
        event("contentBlockStart", json!({"contentBlockIndex": index, "start": start})),
        delta(index, &json!({"toolUse": {"input": facts.arguments(index)}})),
        event("contentBlockStop", json!({"contentBlockIndex": index})),
    ]
}

fn delta(index: usize, delta: &Value) -> Bytes {
    event("contentBlockDelta", json!({"contentBlockIndex": index, "delta": delta}))
}

fn stop_reason(facts: &Facts) -> &'static str {
    if facts.asks() { "tool_use" } else { "end_turn" }
}

fn usage(facts: &Facts) -> Value {
    let (input, output) = facts.tokens();
    json!({
        "cacheReadInputTokenCount": 0, "cacheReadInputTokens": 0, "cacheWriteInputTokenCount": 0,
        "cacheWriteInputTokens": 0, "inputTokens": input, "outputTokens": output,
        "serverToolUsage": {}, "totalTokens": input + output,
    })
}

/// A frame with padding in its data, by which the API hides the length of what it says.
fn event(kind: &'static str, mut data: Value) -> Bytes {
    if let Some(fields) = data.as_object_mut() {
        fields.insert("p".to_owned(), "abcdefghijklmnopqrstuvwx".into());
    }
    let header = |name: &'static str, value: &'static str| {
        Header::new(name, HeaderValue::String(value.into()))
    };
    let message = Message::new(data.to_string())
        .add_header(header(":event-type", kind))
        .add_header(header(":content-type", "application/json"))
        .add_header(header(":message-type", "event"));
    let mut frame = Vec::new();
    // Only a name or a value that is too long fails.
    let _ = write_message_to(&message, &mut frame);
    Bytes::from(frame)
}

//! A server of Messages.

use serde_json::{Value, json};

use super::Said;
use super::text::{ENDLESS, EVENTS, GARBAGE, events};

fn started() -> Value {
    json!({"type": "message_start", "message":
        {"type": "message", "role": "assistant", "content": []}})
}

fn block(block: Value) -> Value {
    json!({"type": "content_block_start", "index": 0, "content_block": block})
}

fn delta(text: &str) -> Vec<u8> {
    events(&[json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "text_delta", "text": text}})])
}

fn ended(reason: &str) -> [Value; 3] {
    [
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason}}),
        json!({"type": "message_stop"}),
    ]
}

fn whole(block: Value) -> Value {
    json!({"type": "message", "role": "assistant", "content": [block], "stop_reason": "end_turn"})
}

pub(super) fn said() -> Said {
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}});
    let call = json!({"type": "tool_use", "input": {"a": 1}});
    let odd = [[started(), block(call.clone())].as_slice(), &ended("tool_use")].concat();
    Said {
        stream: EVENTS,
        opening: events(&[started(), block(json!({"type": "text", "text": ""}))]),
        text: ["Hé", "llo"].map(delta),
        closing: events(&ended("end_turn")),
        error: events(std::slice::from_ref(&error)),
        garbage: GARBAGE.to_vec(),
        endless: ENDLESS.to_vec(),
        odd_call_in_stream: events(&odd),
        body: whole(json!({"type": "text", "text": "Héllo"})),
        error_body: error,
        odd_call: whole(call),
    }
}

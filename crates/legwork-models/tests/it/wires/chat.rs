//! A server of Chat Completions.

use serde_json::{Value, json};

use super::Said;
use super::text::{ENDLESS, EVENTS, GARBAGE, events};

fn chunk(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta}]})
}

fn ended(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn whole(message: Value) -> Value {
    json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
}

pub(super) fn said() -> Said {
    let error = json!({"error": {"message": "busy", "type": "overloaded_error"}});
    let call = json!({"type": "function", "function": {"arguments": {"a": 1}}});
    Said {
        stream: EVENTS,
        opening: events(&[chunk(json!({"role": "assistant"}))]),
        text: ["Hé", "llo"].map(|text| events(&[chunk(json!({"content": text}))])),
        closing: events(&[ended("stop")]),
        error: events(std::slice::from_ref(&error)),
        garbage: GARBAGE.to_vec(),
        endless: ENDLESS.to_vec(),
        odd_call_in_stream: events(&[chunk(json!({"tool_calls": [call]})), ended("tool_calls")]),
        body: whole(json!({"role": "assistant", "content": "Héllo"})),
        error_body: error,
        odd_call: whole(json!({"role": "assistant", "content": null, "tool_calls": [call]})),
    }
}

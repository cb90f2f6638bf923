//! A server of Gemini's API.

use serde_json::{Value, json};

use super::Said;
use super::text::{ENDLESS, EVENTS, GARBAGE, events};

fn part(part: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]})
}

fn whole(part: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]})
}

pub(super) fn said() -> Said {
    let error = json!({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}});
    let call = json!({"functionCall": {"args": {"a": 1}}});
    Said {
        stream: EVENTS,
        opening: Vec::new(),
        text: ["Hé", "llo"].map(|text| events(&[part(json!({"text": text}))])),
        closing: events(&[json!({"candidates": [{"finishReason": "STOP"}]})]),
        error: events(std::slice::from_ref(&error)),
        garbage: GARBAGE.to_vec(),
        endless: ENDLESS.to_vec(),
        odd_call_in_stream: events(&[whole(call.clone())]),
        body: whole(json!({"text": "Héllo"})),
        error_body: error,
        odd_call: whole(call),
    }
}

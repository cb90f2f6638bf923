//! A server of Responses.

use serde_json::{Value, json};

use super::Said;
use super::text::{ENDLESS, EVENTS, GARBAGE, events};

fn delta(text: &str) -> Vec<u8> {
    events(&[json!({"type": "response.output_text.delta", "output_index": 0,
        "content_index": 0, "item_id": "m1", "delta": text})])
}

fn whole(output: Value) -> Value {
    json!({"object": "response", "status": "completed", "output": [output]})
}

/// The events that end an item, and with it the answer.
fn ended(item: &Value) -> [Value; 2] {
    [
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": whole(item.clone())}),
    ]
}

pub(super) fn said() -> Said {
    let begun = json!({"type": "response.created", "response": {"status": "in_progress"}});
    let message = json!({"type": "message", "id": "m1", "role": "assistant",
        "content": [{"type": "output_text", "text": "Héllo", "annotations": []}]});
    let error = json!({"type": "error", "error": {"code": "overloaded_error", "message": "busy"}});
    let call = json!({"type": "function_call", "arguments": {"a": 1}});
    let [done, completed] = ended(&call);
    Said {
        stream: EVENTS,
        opening: events(&[
            begun.clone(),
            json!({"type": "response.output_item.added", "output_index": 0,
                "item": {"type": "message", "id": "m1", "role": "assistant", "content": []}}),
        ]),
        text: ["Hé", "llo"].map(delta),
        closing: events(&ended(&message)),
        error: events(std::slice::from_ref(&error)),
        garbage: GARBAGE.to_vec(),
        endless: ENDLESS.to_vec(),
        odd_call_in_stream: events(&[begun, done, completed]),
        body: whole(message),
        error_body: error,
        odd_call: whole(call),
    }
}

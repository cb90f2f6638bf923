//! Answers of Messages.

use serde_json::{Value, json};

use super::{Events, Facts, named_event as event};
use crate::script::TOKEN;

/// The unstreamed form of an answer.
pub(super) fn whole(facts: &Facts) -> Value {
    let content: Vec<_> = match facts.asks() {
        true => (0..facts.script.calls)
            .map(|index| call(facts, index, json!({"a": facts.turn, "b": index})))
            .collect(),
        false => vec![json!({"type": "text", "text": TOKEN.repeat(facts.script.tokens)})],
    };
    let (input, output) = facts.tokens();
    json!({
        "id": "scripted", "type": "message", "role": "assistant",
        "model": facts.script.to_string(), "content": content,
        "stop_reason": stop_reason(facts), "stop_sequence": null,
        "usage": usage(input, output),
    })
}

/// The streamed form of an answer.
pub(super) fn events(facts: &Facts) -> Events {
    let (input, output) = facts.tokens();
    let message = json!({
        "id": "scripted", "type": "message", "role": "assistant",
        "model": facts.script.to_string(), "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage(input, 1),
    });
    let mut opening = vec![event(&json!({"type": "message_start", "message": message}))];
    let mut closing = Vec::new();
    match facts.asks() {
        true => {
            for index in 0..facts.script.calls {
                opening.push(start(index, &call(facts, index, json!({}))));
                let json = facts.arguments(index);
                let delta = json!({"type": "input_json_delta", "partial_json": json});
                opening.extend([self::delta(index, &delta), stop(index)]);
            }
        }
        false => {
            opening.push(start(0, &json!({"type": "text", "text": ""})));
            closing.push(stop(0));
        }
    }
    closing.push(event(&json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason(facts), "stop_sequence": null},
        "usage": {"output_tokens": output},
    })));
    closing.push(event(&json!({"type": "message_stop"})));
    Events { opening, token: delta(0, &json!({"type": "text_delta", "text": TOKEN})), closing }
}

fn call(facts: &Facts, index: usize, input: Value) -> Value {
    json!({"type": "tool_use", "id": facts.call_id(index), "name": "add", "input": input})
}

fn start(index: usize, block: &Value) -> bytes::Bytes {
    event(&json!({"type": "content_block_start", "index": index, "content_block": block}))
}

fn delta(index: usize, delta: &Value) -> bytes::Bytes {
    event(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn stop(index: usize) -> bytes::Bytes {
    event(&json!({"type": "content_block_stop", "index": index}))
}

fn stop_reason(facts: &Facts) -> &'static str {
    if facts.asks() { "tool_use" } else { "end_turn" }
}

fn usage(input: usize, output: usize) -> Value {
    json!({
        "input_tokens": input, "output_tokens": output,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    })
}

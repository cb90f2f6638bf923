//! Answers of Chat Completions.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Events, Facts, event};
use crate::script::TOKEN;

/// The unstreamed form of an answer.
pub(super) fn whole(facts: &Facts) -> Value {
    let (message, finish) = if facts.asks() {
        let calls: Vec<_> = (0..facts.script.calls)
            .map(|index| {
                json!({
                    "id": facts.call_id(index), "type": "function",
                    "function": {"name": "add", "arguments": facts.arguments(index)},
                })
            })
            .collect();
        let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
        (message, "tool_calls")
    } else {
        let text = TOKEN.repeat(facts.script.tokens);
        (json!({"role": "assistant", "content": text}), "stop")
    };
    json!({
        "id": "scripted", "object": "chat.completion", "created": 0,
        "model": facts.script.to_string(),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage(facts),
    })
}

/// The streamed form of an answer.
pub(super) fn events(facts: &Facts) -> Events {
    let mut opening = vec![delta(facts, json!({"role": "assistant", "content": ""}), None)];
    let finish = if facts.asks() { "tool_calls" } else { "stop" };
    if facts.asks() {
        opening.extend((0..facts.script.calls).flat_map(|index| call_deltas(facts, index)));
    }
    let usage = json!({
        "id": "scripted", "object": "chat.completion.chunk", "created": 0,
        "model": facts.script.to_string(), "choices": [], "usage": usage(facts),
    });
    let closing = vec![
        delta(facts, json!({}), Some(finish)),
        event(&usage),
        Bytes::from_static(b"data: [DONE]\n\n"),
    ];
    Events { opening, token: delta(facts, json!({"content": TOKEN}), None), closing }
}

/// A call in two pieces: its opening, and its arguments.
fn call_deltas(facts: &Facts, index: usize) -> [Bytes; 2] {
    let opening = json!({"tool_calls": [{
        "index": index, "id": facts.call_id(index), "type": "function",
        "function": {"name": "add", "arguments": ""},
    }]});
    let arguments = json!({"tool_calls": [{
        "index": index, "function": {"arguments": facts.arguments(index)},
    }]});
    [delta(facts, opening, None), delta(facts, arguments, None)]
}

/// One event of a stream that carries `delta`.
fn delta(facts: &Facts, delta: Value, finish: Option<&str>) -> Bytes {
    event(&json!({
        "id": "scripted", "object": "chat.completion.chunk", "created": 0,
        "model": facts.script.to_string(),
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }))
}

fn usage(facts: &Facts) -> Value {
    let (input, output) = facts.tokens();
    json!({
        "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
    })
}

//! Answers of Responses.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Events, Facts, named_event as event};
use crate::script::TOKEN;

/// The id of the item that a text is.
const MESSAGE: &str = "msg_scripted";

/// The unstreamed form of an answer.
pub(super) fn whole(facts: &Facts) -> Value {
    response(facts, "completed", &items(facts))
}

/// The streamed form of an answer; each event that ends something repeats it.
pub(super) fn events(facts: &Facts) -> Events {
    let begun = response(facts, "in_progress", &[]);
    let mut opening = vec![
        event(&json!({"type": "response.created", "response": begun, "sequence_number": 0})),
        event(&json!({"type": "response.in_progress", "response": begun, "sequence_number": 1})),
    ];
    let (items, mut closing) = (items(facts), Vec::new());
    match facts.asks() {
        true => opening.extend(items.iter().enumerate().flat_map(|(index, item)| {
            [added(index, &call(facts, index, "")), arguments(facts, index), done(index, item)]
        })),
        false => {
            let open = json!({
                "type": "message", "id": MESSAGE, "status": "in_progress",
                "role": "assistant", "content": [],
            });
            opening.extend([added(0, &open), part("added", "")]);
            let text = TOKEN.repeat(facts.script.tokens);
            closing.push(event(&json!({
                "type": "response.output_text.done", "item_id": MESSAGE, "output_index": 0,
                "content_index": 0, "text": text, "logprobs": [], "sequence_number": 5,
            })));
            closing.push(part("done", &text));
            closing.extend(items.iter().map(|item| done(0, item)));
        }
    }
    closing.push(event(&json!({
        "type": "response.completed", "response": response(facts, "completed", &items),
        "sequence_number": 8,
    })));
    Events { opening, token: token(), closing }
}

fn token() -> Bytes {
    event(&json!({
        "type": "response.output_text.delta", "item_id": MESSAGE, "output_index": 0,
        "content_index": 0, "delta": TOKEN, "logprobs": [], "obfuscation": "wxyz0123abc",
        "sequence_number": 4,
    }))
}

fn part(kind: &str, text: &str) -> Bytes {
    event(&json!({
        "type": format!("response.content_part.{kind}"), "item_id": MESSAGE, "output_index": 0,
        "content_index": 0, "part": output_text(text), "sequence_number": 3,
    }))
}

fn output_text(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

fn added(index: usize, item: &Value) -> Bytes {
    event(&json!({
        "type": "response.output_item.added", "output_index": index, "item": item,
        "sequence_number": 2,
    }))
}

fn arguments(facts: &Facts, index: usize) -> Bytes {
    event(&json!({
        "type": "response.function_call_arguments.delta", "item_id": item_id(facts, index),
        "output_index": index, "delta": facts.arguments(index), "sequence_number": 3,
    }))
}

fn done(index: usize, item: &Value) -> Bytes {
    event(&json!({
        "type": "response.output_item.done", "output_index": index, "item": item,
        "sequence_number": 7,
    }))
}

/// The items of the answer.
fn items(facts: &Facts) -> Vec<Value> {
    if facts.asks() {
        let call = |index| call(facts, index, &facts.arguments(index));
        return (0..facts.script.calls).map(call).collect();
    }
    vec![json!({
        "type": "message", "id": MESSAGE, "status": "completed", "role": "assistant",
        "content": [output_text(&TOKEN.repeat(facts.script.tokens))],
    })]
}

fn call(facts: &Facts, index: usize, arguments: &str) -> Value {
    json!({
        "type": "function_call", "id": item_id(facts, index), "status": "completed",
        "call_id": facts.call_id(index), "name": "add", "arguments": arguments,
    })
}

fn item_id(facts: &Facts, index: usize) -> String {
    format!("fc_{}_{index}", facts.turn)
}

/// A response; much of it repeats the request.
fn response(facts: &Facts, status: &str, output: &[Value]) -> Value {
    let (input, made) = facts.tokens();
    let usage = json!({
        "input_tokens": input, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": made, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": input + made,
    });
    json!({
        "id": "scripted", "object": "response", "created_at": 0, "status": status,
        "background": false, "error": null, "incomplete_details": null, "instructions": null,
        "max_output_tokens": null, "model": facts.script.to_string(), "output": output,
        "parallel_tool_calls": true, "previous_response_id": null,
        "reasoning": {"effort": null, "summary": null}, "store": false, "temperature": 1.0,
        "text": {"format": {"type": "text"}}, "tool_choice": "auto", "tools": [], "top_p": 1.0,
        "truncation": "disabled", "usage": if status == "completed" { usage } else { Value::Null },
        "metadata": {},
    })
}

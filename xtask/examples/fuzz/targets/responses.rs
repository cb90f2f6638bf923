//! Answers of Responses.

use fastrand::Rng;
use legwork_core::FinishReason;
use legwork_models::Api;
use serde_json::{Value, json};

use super::answers::script::{Block, Script, Wire, cut, input, interleaved};
use super::answers::{recorded, run};
use super::{MIB, Target, texts};

pub(super) const TARGET: Target = Target {
    name: "responses",
    seeds,
    grammar: Some(|random| input(&WIRE, random)),
    words: &[
        "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi\"}\n\n",
        "data: {\"type\":\"response.function_call_arguments.delta\",\"delta\":\"{\"}\n\n",
        "data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"message\"}}\n\n",
        "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
        "\"output_index\":1,",
        "\"output_index\":18446744073709551615,",
        "\"content_index\":1048576,",
        "\"summary_index\":1,",
        "\"type\":\"function_call\"",
        "\"type\":\"reasoning\"",
        "\"item\":{",
        "\"output\":[",
        "\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}",
        "\"status\":\"failed\"",
        "\"usage\":{\"input_tokens\":18446744073709551615}",
        "\\ud800",
        "null",
        "{\"error\":",
    ],
    longest: MIB,
    memory: 32 * MIB,
    one_of: 1,
    run: |input, random| run(&WIRE, input, random),
};

const WIRE: Wire = Wire {
    api: Api::Responses,
    fit: |script, _| script,
    events,
    done: "",
    unknown: r#"{"type":"response.novel.delta","output_index":0,"delta":"nothing"}"#,
    body,
};

/// Answers by hand, and recorded ones where the shared data is.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = texts([
        r#"{"object":"response","status":"completed","output":[{"type":"message","id":"m","content":[{"type":"output_text","text":"Hi"},{"type":"refusal","refusal":"no"}]},{"type":"web_search_call","id":"w"}]}"#,
        "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"model\":\"m\"}}\n\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"delta\":\"Hi\"}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n",
        "event: error\ndata: {\"type\":\"error\",\"message\":\"no\",\"code\":\"rate_limit_exceeded\"}\n\n",
    ]);
    seeds.extend(recorded::answers(Api::Responses));
    seeds
}

/// The item that a block is.
fn item(at: usize, block: &Block) -> Value {
    let message = |content: Value| {
        json!({"type": "message", "id": format!("m{at}"), "role": "assistant",
            "status": "completed", "content": [content]})
    };
    match block {
        Block::Text(text) => {
            message(json!({"type": "output_text", "text": text, "annotations": []}))
        }
        Block::Refusal(text) => message(json!({"type": "refusal", "refusal": text})),
        Block::Thinking(text) => json!({"type": "reasoning", "id": format!("r{at}"),
            "summary": [{"type": "summary_text", "text": text}], "encrypted_content": "gAAAA"}),
        Block::Call { id, name, arguments } => json!({"type": "function_call",
            "id": format!("f{at}"), "call_id": id, "name": name, "status": "completed",
            "arguments": arguments.to_string()}),
    }
}

/// The response with its status, and what it used.
fn response(script: &Script, output: &[Value]) -> Value {
    let (status, details) = match &script.finish {
        FinishReason::Stop | FinishReason::ToolCalls => ("completed", Value::Null),
        FinishReason::Length => ("incomplete", json!({"reason": "max_output_tokens"})),
        other => ("incomplete", json!({"reason": other.as_str()})),
    };
    let usage = script.usage.map(|(input, output)| {
        json!({"input_tokens": input, "output_tokens": output, "total_tokens": input + output})
    });
    json!({"id": script.id, "object": "response", "status": status, "output": output,
        "incomplete_details": details, "usage": usage, "temperature": 1.0})
}

fn events(script: &Script, random: &mut Rng) -> Vec<Value> {
    let items: Vec<_> = script.blocks.iter().enumerate().map(|(at, b)| item(at, b)).collect();
    // Either each item comes with its end, or all of them come with the response.
    let done = random.bool();
    let blocks = script.blocks.iter().zip(&items).enumerate();
    let blocks = blocks.map(|(at, (block, item))| {
        let mut events = deltas(at, block, item, random);
        if done {
            events.push(json!({"type": "response.output_item.done", "output_index": at,
                "item": item}));
        }
        events
    });
    let blocks = blocks.collect::<Vec<_>>();
    let mut events = vec![json!({"type": "response.created",
        "response": {"id": script.id, "object": "response", "status": "in_progress"}})];
    events.extend(interleaved(blocks, random));
    let output = if done && random.bool() { &[][..] } else { &items };
    let kind = match script.finish {
        FinishReason::Stop | FinishReason::ToolCalls => "response.completed",
        _ => "response.incomplete",
    };
    events.push(json!({"type": kind, "response": response(script, output)}));
    events
}

/// The events of a block before its end: all of its text, its beginning, or none.
fn deltas(at: usize, block: &Block, item: &Value, random: &mut Rng) -> Vec<Value> {
    let event = |kind: &str, key: &str, text: &str| {
        json!({"type": format!("response.{kind}"), "output_index": at, "content_index": 0,
            "summary_index": 0, key: text})
    };
    let arguments;
    let (kind, key, text) = match block {
        Block::Text(text) => ("output_text", "text", text),
        Block::Refusal(text) => ("refusal", "refusal", text),
        Block::Thinking(text) => ("reasoning_summary_text", "text", text),
        Block::Call { arguments: value, .. } => {
            arguments = value.to_string();
            ("function_call_arguments", "arguments", &arguments)
        }
    };
    let mut begun = item.clone();
    for (key, empty) in [("content", json!([])), ("summary", json!([])), ("arguments", json!(""))] {
        if let Some(value) = begun.get_mut(key) {
            *value = empty;
        }
    }
    let mut events = vec![json!({"type": "response.output_item.added", "output_index": at,
        "item": begun})];
    if random.u8(..4) == 0 {
        return events;
    }
    let pieces = cut(text, random);
    let count = if random.u8(..4) == 0 { random.usize(..=pieces.len()) } else { pieces.len() };
    let delta = |piece: &&str| event(&format!("{kind}.delta"), "delta", piece);
    events.extend(pieces.iter().take(count).map(delta));
    if random.bool() {
        events.push(event(&format!("{kind}.done"), key, text));
    }
    events
}

fn body(script: &Script, _: &mut Rng) -> Value {
    let items: Vec<_> = script.blocks.iter().enumerate().map(|(at, b)| item(at, b)).collect();
    response(script, &items)
}

//! Answers of Anthropic's Messages.

use fastrand::Rng;
use legwork_core::FinishReason;
use legwork_models::Api;
use serde_json::{Value, json};

use super::answers::script::{Block, Script, Wire, cut, input, interleaved};
use super::answers::{recorded, run};
use super::{MIB, Target, texts};

pub(super) const TARGET: Target = Target {
    name: "messages",
    seeds,
    grammar: Some(|random| input(&WIRE, random)),
    words: &[
        "data: {\"type\":\"message_stop\"}\n\n",
        "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{",
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{",
        "\"type\":\"tool_use\"",
        "\"type\":\"server_tool_use\"",
        "\"type\":\"redacted_thinking\",\"data\":\"x\"",
        "\"type\":\"input_json_delta\",\"partial_json\":\"{\"",
        "\"type\":\"signature_delta\",\"signature\":\"s\"",
        "\"type\":\"citations_delta\",\"citation\":{}",
        "\"index\":18446744073709551615,",
        "\"stop_reason\":\"tool_use\"",
        "\"usage\":{\"input_tokens\":18446744073709551615,\"output_tokens\":1e308}",
        "\"input\":{},",
        "\\ud800",
        "null",
        "{\"type\":\"error\",\"error\":",
    ],
    longest: MIB,
    memory: 32 * MIB,
    one_of: 1,
    run: |input, random| run(&WIRE, input, random),
};

const WIRE: Wire = Wire {
    api: Api::Messages,
    fit: |script, _| script.without_refusals(),
    events,
    done: "",
    unknown: r#"{"type":"novel","index":0,"delta":{"type":"text_delta","text":"nothing"}}"#,
    body,
};

/// Answers by hand, and recorded ones where the shared data is.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = texts([
        r#"{"type":"message","id":"m","content":[{"type":"text","text":"Hi"},{"type":"tool_use","id":"t","name":"f","input":{}},{"type":"novel","x":1}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}"#,
        "data: {\"type\":\"message_start\",\"message\":{\"type\":\"message\"}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"server_tool_use\",\"input\":{}}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"no\"}}\n\n",
    ]);
    seeds.extend(recorded::answers(Api::Messages));
    seeds
}

fn finish(reason: &FinishReason) -> &str {
    match reason {
        FinishReason::Stop => "end_turn",
        FinishReason::Length => "max_tokens",
        FinishReason::ToolCalls => "tool_use",
        FinishReason::ContentFilter => "refusal",
        other => other.as_str(),
    }
}

fn events(script: &Script, random: &mut Rng) -> Vec<Value> {
    let blocks = script.blocks.iter().enumerate().map(|(at, block)| {
        let (begun, deltas) = streamed(block, random);
        let deltas = deltas
            .into_iter()
            .map(|delta| json!({"type": "content_block_delta", "index": at, "delta": delta}));
        let start = json!({"type": "content_block_start", "index": at, "content_block": begun});
        let stop = json!({"type": "content_block_stop", "index": at});
        std::iter::once(start).chain(deltas).chain([stop]).collect()
    });
    let blocks = blocks.collect();
    let usage = |output| Some(json!({"input_tokens": script.usage?.0, "output_tokens": output}));
    let mut events = vec![
        json!({"type": "message_start", "message": {"type": "message", "role": "assistant",
            "id": script.id, "content": [], "stop_reason": null, "usage": usage(1)}}),
        json!({"type": "ping"}),
    ];
    events.extend(interleaved(blocks, random));
    let output = script.usage.map(|(_, output)| json!({"output_tokens": output}));
    events.push(json!({"type": "message_delta", "usage": output,
        "delta": {"stop_reason": finish(&script.finish), "stop_sequence": null}}));
    events.push(json!({"type": "message_stop"}));
    events
}

/// How a block begins, and the deltas that follow.
fn streamed(block: &Block, random: &mut Rng) -> (Value, Vec<Value>) {
    let (kind, delta) = match block {
        Block::Thinking(_) => ("thinking", "thinking_delta"),
        _ => ("text", "text_delta"),
    };
    let mut deltas = Vec::new();
    match block {
        Block::Text(text) | Block::Refusal(text) | Block::Thinking(text) => {
            let mut pieces = cut(text, random).into_iter();
            let first = if random.u8(..4) == 0 { pieces.next() } else { Some("") };
            deltas.extend(pieces.map(|piece| json!({"type": delta, kind: piece})));
            if kind == "thinking" {
                deltas.push(json!({"type": "signature_delta", "signature": "c2ln"}));
            }
            (json!({"type": kind, kind: first}), deltas)
        }
        Block::Call { id, name, arguments } => {
            let arguments = arguments.to_string();
            let pieces = cut(&arguments, random).into_iter();
            deltas.extend(
                pieces.map(|piece| json!({"type": "input_json_delta", "partial_json": piece})),
            );
            (json!({"type": "tool_use", "id": id, "name": name, "input": {}}), deltas)
        }
    }
}

fn body(script: &Script, _: &mut Rng) -> Value {
    let content = script.blocks.iter().map(|block| match block {
        Block::Text(text) | Block::Refusal(text) => json!({"type": "text", "text": text}),
        Block::Thinking(text) => {
            json!({"type": "thinking", "thinking": text, "signature": "c2ln"})
        }
        Block::Call { id, name, arguments } => {
            json!({"type": "tool_use", "id": id, "name": name, "input": arguments})
        }
    });
    let content = content.collect::<Vec<_>>();
    let usage =
        script.usage.map(|(input, output)| json!({"input_tokens": input, "output_tokens": output}));
    json!({"type": "message", "role": "assistant", "id": script.id, "content": content,
        "stop_reason": finish(&script.finish), "usage": usage})
}

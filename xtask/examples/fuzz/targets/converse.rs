//! Answers of Bedrock's Converse: lines, each of which is put into a frame, and bodies.

use fastrand::Rng;
use legwork_core::FinishReason;
use legwork_models::Api;
use serde_json::{Value, json};

use super::answers::script::{Block, Form, Script, Wire, cut, input, interleaved};
use super::answers::{recorded, run};
use super::{MIB, Target, texts};

pub(super) const TARGET: Target = Target {
    name: "converse",
    seeds,
    grammar: Some(|random| input(&WIRE, random)),
    words: &[
        "!throttlingException {\"message\":\"no\"}\n",
        "{\"contentBlockIndex\":0,\"delta\":{\"text\":\"Hi\"}}\n",
        "{\"contentBlockIndex\":1,\"start\":{\"toolUse\":{\"toolUseId\":\"t\",\"name\":\"f\"}}}\n",
        "{\"stopReason\":\"end_turn\"}\n",
        "\"contentBlockIndex\":18446744073709551615,",
        "\"toolUse\":{\"input\":\"{\"}",
        "\"type\":\"server_tool_use\",",
        "\"reasoningContent\":{\"signature\":\"s\"}",
        "\"redactedContent\":\"eA==\"",
        "\"citationsContent\":{\"content\":[{\"text\":\"Hi\"}]}",
        "\"toolResult\":{},",
        "\"usage\":{\"inputTokens\":18446744073709551615,\"outputTokens\":1e308}",
        "\"__type\":\"a#b\",",
        "\\ud800",
        "null",
    ],
    // A line of a byte becomes a frame of about 70.
    longest: MIB / 8,
    memory: 32 * MIB,
    one_of: 1,
    run: |input, random| run(&WIRE, input, random),
};

const WIRE: Wire = Wire {
    api: Api::Converse,
    fit,
    events,
    done: "",
    unknown: r#"{"novel":{"text":"nothing"},"p":"abc"}"#,
    body,
};

/// Answers by hand, and recorded ones where the shared data is.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = texts([
        r#"{"output":{"message":{"role":"assistant","content":[{"text":"Hi"},{"toolUse":{"toolUseId":"t","name":"f","input":{}}},{"novel":{"x":1}}]}},"stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":2}}"#,
        "{\"role\":\"assistant\"}\n{\"contentBlockIndex\":0,\"delta\":{\"text\":\"Hi\"}}\n!throttlingException {\"message\":\"no\"}\n",
        "{\"contentBlockIndex\":0,\"start\":{\"toolUse\":{\"type\":\"server_tool_use\"}}}\n{\"contentBlockIndex\":0,\"delta\":{\"toolUse\":{\"input\":\"{}\"}}}\n{\"stopReason\":\"end_turn\"}\n",
        r#"{"__type":"com.amazon#ServiceUnavailableException","message":"no"}"#,
    ]);
    seeds.extend(recorded::answers(Api::Converse));
    seeds
}

/// It gives answers no ids.
fn fit(script: Script, _: Form) -> Script {
    Script { id: None, ..script.without_refusals() }
}

fn finish(reason: &FinishReason) -> &str {
    match reason {
        FinishReason::Stop => "end_turn",
        FinishReason::Length => "max_tokens",
        FinishReason::ToolCalls => "tool_use",
        FinishReason::ContentFilter => "content_filtered",
        other => other.as_str(),
    }
}

fn usage(script: &Script) -> Value {
    let Some((input, output)) = script.usage else { return Value::Null };
    json!({"inputTokens": input, "outputTokens": output, "totalTokens": input + output})
}

fn events(script: &Script, random: &mut Rng) -> Vec<Value> {
    let blocks = script.blocks.iter().enumerate().map(|(at, block)| {
        let mut events = streamed(block, random);
        events.push(json!({}));
        for event in &mut events {
            event["contentBlockIndex"] = at.into();
        }
        events
    });
    let blocks = blocks.collect();
    let mut events = vec![json!({"role": "assistant"})];
    events.extend(interleaved(blocks, random));
    events.push(json!({"stopReason": finish(&script.finish)}));
    let metadata = match usage(script) {
        Value::Null => json!({"metrics": {"latencyMs": 7}}),
        usage => json!({"metrics": {"latencyMs": 7}, "usage": usage}),
    };
    events.push(metadata);
    events
}

/// The events of a block, of which only a call has a beginning.
fn streamed(block: &Block, random: &mut Rng) -> Vec<Value> {
    let delta = |delta: Value| json!({"delta": delta});
    match block {
        Block::Text(text) | Block::Refusal(text) => {
            cut(text, random).iter().map(|piece| delta(json!({"text": piece}))).collect()
        }
        Block::Thinking(text) => {
            let thought = |field: Value| delta(json!({"reasoningContent": field}));
            let mut events: Vec<_> =
                cut(text, random).iter().map(|piece| thought(json!({"text": piece}))).collect();
            events.push(thought(json!({"signature": "c2ln"})));
            events
        }
        Block::Call { id, name, arguments } => {
            let arguments = arguments.to_string();
            let start = json!({"start": {"toolUse": {"toolUseId": id, "name": name}}});
            let pieces = cut(&arguments, random).into_iter();
            let deltas = pieces.map(|piece| delta(json!({"toolUse": {"input": piece}})));
            std::iter::once(start).chain(deltas).collect()
        }
    }
}

fn body(script: &Script, _: &mut Rng) -> Value {
    let content = script.blocks.iter().map(|block| match block {
        Block::Text(text) | Block::Refusal(text) => json!({"text": text}),
        Block::Thinking(text) => {
            json!({"reasoningContent": {"reasoningText": {"text": text, "signature": "c2ln"}}})
        }
        Block::Call { id, name, arguments } => {
            json!({"toolUse": {"toolUseId": id, "name": name, "input": arguments}})
        }
    });
    let message = json!({"role": "assistant", "content": content.collect::<Vec<_>>()});
    json!({"output": {"message": message}, "stopReason": finish(&script.finish),
        "usage": usage(script)})
}

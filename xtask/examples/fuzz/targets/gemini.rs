//! Answers of Gemini's API.

use fastrand::Rng;
use legwork_core::FinishReason;
use legwork_models::Api;
use serde_json::{Value, json};

use super::answers::script::{Block, Script, Wire, cut, input};
use super::answers::{recorded, run};
use super::{MIB, Target, texts};

pub(super) const TARGET: Target = Target {
    name: "gemini",
    seeds,
    grammar: Some(|random| input(&WIRE, random)),
    words: &[
        "data: {\"candidates\":[{\"content\":{\"parts\":[",
        "{\"text\":\"Hi\"},",
        "\"thought\":true,",
        "\"thoughtSignature\":\"c2ln\",",
        "{\"functionCall\":{\"name\":\"f\",\"args\":{}}},",
        "\"partialArgs\":[{}],",
        "{\"executableCode\":{\"code\":\"1\"}},",
        "{\"inlineData\":{}},",
        "\"finishReason\":\"STOP\",",
        "\"usageMetadata\":{\"promptTokenCount\":18446744073709551615,\"thoughtsTokenCount\":1},",
        "\"promptFeedback\":{\"blockReason\":\"SAFETY\"},",
        "\\ud800",
        "null",
        "{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[",
    ],
    longest: MIB,
    memory: 32 * MIB,
    one_of: 1,
    run: |input, random| run(&WIRE, input, random),
};

const WIRE: Wire = Wire {
    api: Api::GenerateContent,
    fit: |script, _| script.without_refusals().merged(),
    events,
    done: "",
    unknown: r#"{"novel":[{"text":"nothing"}]}"#,
    body,
};

/// Answers by hand, and recorded ones where the shared data is.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = texts([
        r#"{"candidates":[{"content":{"parts":[{"text":"Hm","thought":true},{"text":"Hi","thoughtSignature":"c2ln"},{"functionCall":{"name":"f","args":{}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2}}"#,
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"},{\"executableCode\":{\"code\":\"1\"}}]}}]}\r\n\r\ndata: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\r\n\r\n",
        "data: {\"error\":{\"code\":503,\"message\":\"no\",\"status\":\"UNAVAILABLE\"}}\n\n",
    ]);
    seeds.extend(recorded::answers(Api::GenerateContent));
    seeds
}

fn finish(reason: &FinishReason) -> &str {
    match reason {
        FinishReason::Stop | FinishReason::ToolCalls => "STOP",
        FinishReason::Length => "MAX_TOKENS",
        FinishReason::ContentFilter => "SAFETY",
        other => other.as_str(),
    }
}

fn usage(script: &Script) -> Value {
    let Some((input, output)) = script.usage else { return Value::Null };
    json!({"promptTokenCount": input, "candidatesTokenCount": output,
        "totalTokenCount": input + output})
}

/// The parts of a block, of which only words come in several.
fn parts(block: &Block, random: &mut Rng) -> Vec<Value> {
    match block {
        Block::Text(text) | Block::Refusal(text) => {
            cut(text, random).iter().map(|piece| json!({"text": piece})).collect()
        }
        Block::Thinking(text) => {
            let pieces = cut(text, random).into_iter();
            pieces.map(|piece| json!({"text": piece, "thought": true})).collect()
        }
        Block::Call { id, name, arguments } => {
            vec![json!({"functionCall": {"id": id, "name": name, "args": arguments}})]
        }
    }
}

fn events(script: &Script, random: &mut Rng) -> Vec<Value> {
    let parts: Vec<_> = script.blocks.iter().flat_map(|block| parts(block, random)).collect();
    let mut rest = &*parts;
    let mut events = Vec::new();
    while !rest.is_empty() {
        let (some, more) = rest.split_at(random.usize(1..=4).min(rest.len()));
        let content = json!({"role": "model", "parts": some});
        events.push(json!({"candidates": [{"content": content, "index": 0}],
            "usageMetadata": {"promptTokenCount": 1}, "responseId": script.id}));
        rest = more;
    }
    if events.is_empty() || random.bool() {
        events.push(json!({"candidates": [{"index": 0}], "responseId": script.id}));
    }
    if let Some(end) = events.last_mut() {
        end["candidates"][0]["finishReason"] = finish(&script.finish).into();
        end["usageMetadata"] = usage(script);
    }
    if script.usage.is_none() {
        events.iter_mut().for_each(|event| event["usageMetadata"] = Value::Null);
    }
    events
}

fn body(script: &Script, random: &mut Rng) -> Value {
    let parts: Vec<_> = script.blocks.iter().flat_map(|block| parts(block, random)).collect();
    json!({"candidates": [{"content": {"role": "model", "parts": parts},
        "finishReason": finish(&script.finish)}],
        "usageMetadata": usage(script), "responseId": script.id})
}

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
        "{\"functionCall\":{\"name\":\"f\",\"willContinue\":true}},",
        "{\"functionCall\":{\"partialArgs\":[{\"jsonPath\":\"$.a\",\"stringValue\":\"b\",\"willContinue\":true}],\"willContinue\":true}},",
        "{\"jsonPath\":\"$.b[0].c\",\"numberValue\":1},",
        "{\"jsonPath\":\"$['a b'][4294967296]\",\"boolValue\":true},",
        "\"nullValue\":\"NULL_VALUE\",",
        "{\"functionCall\":{}},",
        ".a[0]['b']",
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
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"willContinue\":true}}]}}]}\n\ndata: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"partialArgs\":[{\"jsonPath\":\"$.a\",\"stringValue\":\"b\",\"willContinue\":true},{\"jsonPath\":\"$.a\",\"stringValue\":\"c\"},{\"jsonPath\":\"$.d[0]['e f']\",\"numberValue\":1.5},{\"jsonPath\":\"$.d[1]\",\"nullValue\":\"NULL_VALUE\"}],\"willContinue\":true}},{\"functionCall\":{}}]},\"finishReason\":\"STOP\"}]}\n\n",
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

/// The parts of a block where only words come in several.
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

/// The parts of a block in a stream, where a call may come in pieces, too.
fn streamed(block: &Block, random: &mut Rng) -> Vec<Value> {
    let mut values = Vec::new();
    match block {
        Block::Call { id, name, arguments }
            if random.bool() && collect(arguments, "$", &mut values, random) =>
        {
            pieces(id, name, &values, random)
        }
        _ => parts(block, random),
    }
}

/// The pieces of a call.
fn pieces(id: &str, name: &str, values: &[Value], random: &mut Rng) -> Vec<Value> {
    let mut first = json!({"id": id, "name": name, "willContinue": true});
    let mut all = Vec::new();
    let mut rest = values;
    while !rest.is_empty() {
        let (some, more) = rest.split_at(random.usize(1..=3).min(rest.len()));
        match all.is_empty() && random.bool() && first.get("partialArgs").is_none() {
            true => first["partialArgs"] = some.into(),
            false => all.push(json!({"partialArgs": some, "willContinue": true})),
        }
        rest = more;
    }
    all.insert(0, first);
    match all.last_mut().filter(|_| random.bool()) {
        Some(last) => last["willContinue"] = false.into(),
        None => all.push(json!({})),
    }
    all.into_iter().map(|call| json!({"functionCall": call})).collect()
}

/// Collects the values of arguments, each with its path; false if no values say what they are: an
/// empty list says nothing of itself, nor does a double of a whole number.
fn collect(value: &Value, path: &str, values: &mut Vec<Value>, random: &mut Rng) -> bool {
    match value {
        Value::Object(fields) => {
            let mut below = fields.iter();
            (path == "$" || !fields.is_empty())
                && below.all(|(name, value)| {
                    let path = path.to_owned() + &segment(name, random);
                    collect(value, &path, values, random)
                })
        }
        Value::Array(items) => {
            let mut below = items.iter().enumerate();
            !items.is_empty()
                && below.all(|(at, item)| collect(item, &format!("{path}[{at}]"), values, random))
        }
        one => {
            values.extend(said(one, random).into_iter().map(|mut said| {
                said["jsonPath"] = path.into();
                said
            }));
            !one.is_f64() || one.as_f64().is_some_and(|number| number.fract() != 0.0)
        }
    }
}

/// How one value is said; a text may come in pieces.
fn said(value: &Value, random: &mut Rng) -> Vec<Value> {
    match value {
        Value::String(text) if text.is_empty() => vec![json!({"stringValue": ""})],
        Value::String(text) => {
            cut(text, random).iter().map(|piece| json!({"stringValue": piece})).collect()
        }
        Value::Bool(flag) => vec![json!({"boolValue": flag})],
        Value::Null => vec![json!({"nullValue": "NULL_VALUE"})],
        number => vec![json!({"numberValue": number})],
    }
}

/// The segment of a path into a field.
fn segment(name: &str, random: &mut Rng) -> String {
    let is_plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric());
    match random.bool() {
        true if is_plain => format!(".{name}"),
        true => format!("[{}]", Value::from(name)),
        false => format!("['{}']", name.replace('\\', "\\\\").replace('\'', "\\'")),
    }
}

fn events(script: &Script, random: &mut Rng) -> Vec<Value> {
    let parts: Vec<_> = script.blocks.iter().flat_map(|block| streamed(block, random)).collect();
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

//! Answers of Chat Completions.

use fastrand::Rng;
use legwork_core::FinishReason;
use legwork_models::Api;
use serde_json::{Value, json};

use super::answers::script::{Block, Form, Script, Wire, cut, input, interleaved};
use super::answers::{recorded, run};
use super::{MIB, Target, texts};

pub(super) const TARGET: Target = Target {
    name: "chat",
    seeds,
    grammar: Some(|random| input(&WIRE, random)),
    words: &[
        "data: ",
        "\n\n",
        "[DONE]",
        "{\"choices\":[{\"delta\":",
        "\"tool_calls\":[",
        "\"index\":0,",
        "\"index\":18446744073709551615,",
        "\"function\":{\"name\":\"f\",\"arguments\":\"{",
        "}}]",
        "\"usage\":{\"prompt_tokens\":18446744073709551615,\"completion_tokens\":1e308}",
        "[[[[[[[[",
        "\\ud800",
        "\\u0000",
        "null",
        "\"content\":[",
        "\"finish_reason\":\"stop\"",
        "{\"error\":",
        "$serde_json::private::RawValue",
    ],
    longest: MIB,
    memory: 32 * MIB,
    one_of: 1,
    run: |input, random| run(&WIRE, input, random),
};

const WIRE: Wire = Wire {
    api: Api::ChatCompletions,
    fit,
    events,
    done: "[DONE]",
    unknown: r#"{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}"#,
    body,
};

/// Answers by hand, and recorded ones where the shared data is.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = texts([
        r#"{"id":"c","choices":[{"message":{"content":"Hi","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#,
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
        "event: error\ndata: {\"error\":{\"message\":\"no\",\"code\":429}}\n\n",
        "data: {\"choices\":[{\"delta\":{\"reasoning\":\"hm\",\"odd\":[{\"index\":1,\"text\":\"x\"}]}}]}\n\n",
    ]);
    seeds.extend(recorded::answers(Api::ChatCompletions));
    seeds
}

/// A body has its thinking, its words and its calls in fields of their own.
fn fit(script: Script, form: Form) -> Script {
    if form == Form::Events {
        return script.merged();
    }
    let mut script = script.without_refusals();
    script.blocks.sort_by_key(|block| match block {
        Block::Thinking(_) => 0,
        Block::Call { .. } => 2,
        _ => 1,
    });
    script.merged()
}

fn finish(reason: &FinishReason) -> &str {
    reason.as_str()
}

fn usage(script: &Script) -> Value {
    let Some((input, output)) = script.usage else { return Value::Null };
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output})
}

fn events(script: &Script, random: &mut Rng) -> Vec<Value> {
    let thinking = random.choice(["reasoning", "reasoning_content"]).unwrap_or_default();
    let mut events = vec![json!({"delta": {"role": "assistant", "content": ""}})];
    let (mut calls, mut count) = (Vec::new(), 0);
    for block in &script.blocks {
        let (key, text) = match block {
            Block::Text(text) => ("content", text),
            Block::Thinking(text) => (thinking, text),
            Block::Refusal(text) => ("refusal", text),
            Block::Call { id, name, arguments } => {
                calls.push(call(count, id, name, arguments, random));
                count += 1;
                continue;
            }
        };
        events.extend(interleaved(std::mem::take(&mut calls), random));
        events.extend(cut(text, random).iter().map(|piece| json!({"delta": {key: piece}})));
    }
    events.extend(interleaved(calls, random));
    events.push(json!({"delta": {}, "finish_reason": finish(&script.finish)}));
    let chunk = |choice: Value| json!({"choices": [choice]});
    let mut chunks: Vec<_> = events.into_iter().map(chunk).collect();
    chunks.push(json!({"choices": [], "usage": usage(script)}));
    for fields in chunks.iter_mut().filter_map(Value::as_object_mut) {
        fields.insert("object".to_owned(), "chat.completion.chunk".into());
        fields.insert("id".to_owned(), script.id.clone().into());
    }
    chunks
}

/// The deltas of a call: its name in the first, its arguments in pieces.
fn call(at: usize, id: &str, name: &str, arguments: &Value, random: &mut Rng) -> Vec<Value> {
    let arguments = arguments.to_string();
    let mut pieces = cut(&arguments, random).into_iter();
    let first = if random.bool() { pieces.next() } else { Some("") };
    let begun = json!({"index": at, "id": id, "type": "function",
        "function": {"name": name, "arguments": first}});
    let rest = pieces.map(|piece| json!({"index": at, "function": {"arguments": piece}}));
    let all = std::iter::once(begun).chain(rest);
    all.map(|call| json!({"delta": {"tool_calls": [call]}})).collect()
}

fn body(script: &Script, _: &mut Rng) -> Value {
    let (mut message, mut calls) = (json!({"role": "assistant"}), Vec::new());
    for block in &script.blocks {
        match block {
            Block::Thinking(text) => message["reasoning_content"] = json!(text),
            Block::Text(text) | Block::Refusal(text) => message["content"] = json!(text),
            Block::Call { id, name, arguments } => calls.push(json!({"id": id, "type": "function",
                "function": {"name": name, "arguments": arguments.to_string()}})),
        }
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": finish(&script.finish)});
    json!({"id": script.id, "object": "chat.completion", "choices": [choice],
        "usage": usage(script)})
}

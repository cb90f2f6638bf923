//! Answers of the Gemini API.

use serde_json::{Value, json};

use super::{Events, Facts, event};
use crate::script::TOKEN;

/// The unstreamed form of an answer.
pub(super) fn whole(facts: &Facts) -> Value {
    let parts = match facts.asks() {
        true => calls(facts),
        false => vec![json!({"text": TOKEN.repeat(facts.script.tokens)})],
    };
    chunk(facts, json!(parts), Some("STOP"))
}

/// The streamed form of an answer: chunks of the same form as a whole answer.
pub(super) fn events(facts: &Facts) -> Events {
    let mut opening = Vec::new();
    if facts.asks() {
        opening.push(event(&chunk(facts, json!(calls(facts)), None)));
    }
    let token = event(&chunk(facts, json!([{"text": TOKEN}]), None));
    let closing = vec![event(&chunk(facts, json!([{"text": ""}]), Some("STOP")))];
    Events { opening, token, closing }
}

fn calls(facts: &Facts) -> Vec<Value> {
    (0..facts.script.calls)
        .map(
            |index| json!({"functionCall": {"name": "add", "args": {"a": facts.turn, "b": index}}}),
        )
        .collect()
}

fn chunk(facts: &Facts, parts: Value, finish: Option<&str>) -> Value {
    let (input, output) = facts.tokens();
    let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
    if let (Some(finish), Some(fields)) = (finish, candidate.as_object_mut()) {
        fields.insert("finishReason".to_owned(), finish.into());
    }
    json!({
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": input, "candidatesTokenCount": output,
            "totalTokenCount": input + output,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": input}],
        },
        "modelVersion": facts.script.to_string(),
        "responseId": format!("scripted{}", facts.turn),
    })
}

//! Answers of Chat Completions.

use serde_json::{Map, Value, json};

use super::{PAGE, Said, has_call, id};

/// What OpenRouter passes on that a provider signed or encrypted.
const SEAL: &str = "b2Ytb3BlbnJvdXRlcg==";

pub(super) fn answer(provider: &str, turn: u32, said: &[Said<'_>]) -> Value {
    let calls: Vec<_> = said.iter().enumerate().filter_map(|it| call(provider, turn, it)).collect();
    let text: String = said.iter().filter_map(text).collect();
    let mut message = Map::from_iter([
        ("role".to_owned(), "assistant".into()),
        ("content".to_owned(), if text.is_empty() { Value::Null } else { text.into() }),
    ]);
    message.extend(thinking(provider, said).map(|(key, value)| (key.to_owned(), value)));
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    if said.iter().any(|said| matches!(said, Said::Ran)) {
        let cited = json!({"url": PAGE.0, "title": PAGE.1, "start_index": 0, "end_index": 3});
        let annotations = json!([{"type": "url_citation", "url_citation": cited}]);
        message.insert("annotations".to_owned(), annotations);
    }
    let finish = if has_call(said) { "tool_calls" } else { "stop" };
    json!({"id": format!("chatcmpl-{turn}"), "object": "chat.completion", "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}]})
}

/// Thinking in the field that the provider has for it.
fn thinking(provider: &str, said: &[Said<'_>]) -> Option<(&'static str, Value)> {
    let thought: String = said.iter().filter_map(thought).collect();
    let hidden = said.iter().any(|said| matches!(said, Said::Hidden));
    match provider {
        "openrouter" if hidden => Some((
            "reasoning_details",
            json!([
                {"type": "reasoning.encrypted", "data": SEAL, "format": "anthropic-claude-v1",
                    "index": 0},
            ]),
        )),
        "openrouter" if !thought.is_empty() => Some((
            "reasoning_details",
            json!([
                {"type": "reasoning.text", "text": thought, "signature": SEAL,
                    "format": "anthropic-claude-v1", "index": 0},
            ]),
        )),
        _ if thought.is_empty() => None,
        _ => Some(("reasoning_content", thought.into())),
    }
}

fn thought<'s>(said: &Said<'s>) -> Option<&'s str> {
    match said {
        Said::Thought(text) => Some(text),
        _ => None,
    }
}

fn text<'s>(said: &Said<'s>) -> Option<&'s str> {
    match said {
        Said::Text(text) => Some(text),
        _ => None,
    }
}

fn call(provider: &str, turn: u32, (at, said): (usize, &Said<'_>)) -> Option<Value> {
    let Said::Call(name, arguments) = said else { return None };
    let id = match provider {
        "mistral" => format!("m{turn:04}{at:04}"),
        _ => id("call", turn, at),
    };
    let function = json!({"name": name, "arguments": arguments.to_string()});
    Some(json!({"id": id, "type": "function", "function": function}))
}

//! Answers of Gemini.

use serde_json::{Value, json};

use super::{PAGE, Said, has_call, parts};

/// What the provider signs or encrypts.
const SEAL: &str = "b2YtZ29vZ2xl";

pub(super) fn answer(turn: u32, said: &[Said<'_>]) -> Value {
    let content = parts(said, |at, part| match part {
        Said::Text(_) => parts_of(part, !has_call(said)),
        part => parts_of(part, !has_call(said.get(..at).unwrap_or_default())),
    });
    let chunks = said.iter().filter(|said| matches!(said, Said::Ran));
    let chunks = chunks.map(|_| json!({"web": {"uri": PAGE.0, "title": PAGE.1}}));
    let candidate = json!({"finishReason": "STOP",
        "content": {"role": "model", "parts": content},
        "groundingMetadata": {"groundingChunks": chunks.collect::<Vec<_>>()}});
    json!({"responseId": format!("r{turn}"), "modelVersion": "m", "candidates": [candidate]})
}

/// The first of several calls is signed, and a text where there is none.
fn parts_of(said: &Said<'_>, is_signed: bool) -> Vec<Value> {
    match said {
        Said::Thought(text) => vec![json!({"text": text, "thought": true})],
        Said::Hidden => vec![json!({"text": "", "thoughtSignature": SEAL})],
        Said::Text(text) if is_signed => vec![json!({"text": text, "thoughtSignature": SEAL})],
        Said::Text(text) => vec![json!({"text": text})],
        Said::Call(name, arguments) if is_signed => vec![json!({
            "functionCall": {"name": name, "args": arguments}, "thoughtSignature": SEAL})],
        Said::Call(name, arguments) => {
            vec![json!({"functionCall": {"name": name, "args": arguments}})]
        }
        Said::Ran => vec![
            json!({"executableCode": {"language": "PYTHON", "code": "print(17 + 25)"},
                "thoughtSignature": SEAL}),
            json!({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "42\n"}}),
        ],
    }
}

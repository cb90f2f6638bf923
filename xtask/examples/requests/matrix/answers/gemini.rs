//! Answers of Gemini.

use serde_json::{Value, json};

use super::{PAGE, Said, parts};

pub(super) fn answer(turn: u32, said: &[Said<'_>]) -> Value {
    let content = parts(said, |at, part| {
        let before = said.get(..at).unwrap_or_default();
        parts_of(part, !before.iter().any(|said| matches!(said, Said::Call(..))))
    });
    let chunks = said.iter().filter(|said| matches!(said, Said::Ran));
    let chunks = chunks.map(|_| json!({"web": {"uri": PAGE.0, "title": PAGE.1}}));
    let candidate = json!({"finishReason": "STOP",
        "content": {"role": "model", "parts": content},
        "groundingMetadata": {"groundingChunks": chunks.collect::<Vec<_>>()}});
    json!({"responseId": format!("r{turn}"), "modelVersion": "m", "candidates": [candidate]})
}

/// Of several calls in a row only the first one is signed.
fn parts_of(said: &Said<'_>, is_first_call: bool) -> Vec<Value> {
    match said {
        Said::Thought(text) => vec![json!({"text": text, "thought": true})],
        Said::Hidden => vec![json!({"text": "", "thoughtSignature": "c2Vj"})],
        Said::Text(text) => vec![json!({"text": text})],
        Said::Call(name, arguments) if is_first_call => vec![json!({
            "functionCall": {"name": name, "args": arguments}, "thoughtSignature": "c2ln"})],
        Said::Call(name, arguments) => {
            vec![json!({"functionCall": {"name": name, "args": arguments}})]
        }
        Said::Ran => vec![
            json!({"executableCode": {"language": "PYTHON", "code": "print(17 + 25)"},
                "thoughtSignature": "c2ln"}),
            json!({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "42\n"}}),
        ],
    }
}

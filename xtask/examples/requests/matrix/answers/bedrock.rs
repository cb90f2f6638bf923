//! Answers of Bedrock's Converse.

use serde_json::{Value, json};

use super::{Said, has_call, id, parts};

/// What the provider signs or encrypts.
const SEAL: &str = "b2YtYmVkcm9jaw==";

pub(super) fn answer(turn: u32, said: &[Said<'_>]) -> Value {
    let content = parts(said, |at, said| blocks(turn, at, said));
    let stop = if has_call(said) { "tool_use" } else { "end_turn" };
    json!({"stopReason": stop, "usage": {"inputTokens": 1, "outputTokens": 1},
        "output": {"message": {"role": "assistant", "content": content}}})
}

fn blocks(turn: u32, at: usize, said: &Said<'_>) -> Vec<Value> {
    let id = |prefix| id(prefix, turn, at);
    match said {
        Said::Thought(text) => vec![json!({"reasoningContent": {
            "reasoningText": {"text": text, "signature": SEAL}}})],
        Said::Hidden => vec![json!({"reasoningContent": {"redactedContent": SEAL}})],
        Said::Text(text) => vec![json!({"text": text})],
        Said::Call(name, arguments) => vec![json!({"toolUse": {
            "toolUseId": id("tooluse"), "name": name, "input": arguments}})],
        Said::Ran => {
            let id = id("tooluse_s");
            vec![
                json!({"toolUse": {"toolUseId": id, "name": "nova_code_interpreter",
                    "input": {"snippet": "17 + 25"}, "type": "server_tool_use"}}),
                json!({"toolResult": {"toolUseId": id, "status": "success",
                    "type": "nova_code_interpreter_result",
                    "content": [{"json": {"stdOut": "42", "exitCode": 0}}]}}),
            ]
        }
    }
}

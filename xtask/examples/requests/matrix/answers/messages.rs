//! Answers of Anthropic's Messages.

use serde_json::{Value, json};

use super::{PAGE, Said, has_call, id, parts};

/// What the provider signs or encrypts.
const SEAL: &str = "b2YtYW50aHJvcGlj";

pub(super) fn answer(turn: u32, said: &[Said<'_>]) -> Value {
    let content = parts(said, |at, said| blocks(turn, at, said));
    let stop = if has_call(said) { "tool_use" } else { "end_turn" };
    json!({"id": id("msg", turn, 0), "type": "message", "role": "assistant", "model": "m",
        "content": content, "stop_reason": stop,
        "usage": {"input_tokens": 1, "output_tokens": 1}})
}

fn blocks(turn: u32, at: usize, said: &Said<'_>) -> Vec<Value> {
    let id = |prefix| id(prefix, turn, at);
    match said {
        Said::Thought(text) => {
            vec![json!({"type": "thinking", "thinking": text, "signature": SEAL})]
        }
        Said::Hidden => vec![json!({"type": "redacted_thinking", "data": SEAL})],
        Said::Text(text) => vec![json!({"type": "text", "text": text})],
        Said::Call(name, arguments) => {
            vec![json!({"type": "tool_use", "id": id("toolu"), "name": name, "input": arguments})]
        }
        Said::Ran => [searched(&id("srvtoolu_s")), computed(&id("srvtoolu_c"))].concat(),
    }
}

fn searched(id: &str) -> Vec<Value> {
    let found = json!({"type": "web_search_result", "url": PAGE.0, "title": PAGE.1,
        "encrypted_content": SEAL, "page_age": null});
    let cited = json!({"type": "web_search_result_location", "url": PAGE.0, "title": PAGE.1,
        "cited_text": "17 + 25 = 42", "encrypted_index": SEAL});
    vec![
        json!({"type": "server_tool_use", "id": id, "name": "web_search",
            "input": {"query": "17 + 25"}}),
        json!({"type": "web_search_tool_result", "tool_use_id": id, "content": [found]}),
        json!({"type": "text", "text": "It is 42.", "citations": [cited]}),
    ]
}

fn computed(id: &str) -> Vec<Value> {
    vec![
        json!({"type": "server_tool_use", "id": id, "name": "bash_code_execution",
            "input": {"command": "echo $((17 + 25))"}}),
        json!({"type": "bash_code_execution_tool_result", "tool_use_id": id, "content": {
            "type": "bash_code_execution_result", "stdout": "42\n", "stderr": "",
            "return_code": 0, "content": []}}),
    ]
}

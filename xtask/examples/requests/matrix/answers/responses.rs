//! Answers of Responses.

use serde_json::{Value, json};

use super::{PAGE, Said, id, parts};

/// What the provider encrypts, but for the id.
const SEAL: &str = "gAAAAofopenai";

pub(super) fn answer(turn: u32, said: &[Said<'_>]) -> Value {
    let output = parts(said, |at, said| items(turn, at, said));
    json!({"id": id("resp", turn, 0), "object": "response", "status": "completed", "model": "m",
        "output": output})
}

fn items(turn: u32, at: usize, said: &Said<'_>) -> Vec<Value> {
    let id = |prefix| id(prefix, turn, at);
    match said {
        Said::Thought(text) => {
            let summary = json!([{"type": "summary_text", "text": text}]);
            vec![reasoning(&id("rs"), &summary)]
        }
        Said::Hidden => vec![reasoning(&id("rs"), &json!([]))],
        Said::Text(text) => {
            let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
            vec![said_by_model(&id("msg"), &content)]
        }
        Said::Call(name, arguments) => vec![json!({"type": "function_call", "id": id("fc"),
            "call_id": id("call"), "name": name, "arguments": arguments.to_string(),
            "status": "completed"})],
        Said::Ran => {
            let cited = json!({"type": "url_citation", "url": PAGE.0, "title": PAGE.1,
                "start_index": 0, "end_index": 3});
            let content = json!([{"type": "output_text", "text": "42.", "annotations": [cited]}]);
            vec![
                json!({"type": "web_search_call", "id": id("ws"), "status": "completed",
                    "action": {"type": "search", "query": "17 + 25"}}),
                json!({"type": "code_interpreter_call", "id": id("ci"), "status": "completed",
                    "code": "17 + 25", "container_id": "cntr_1",
                    "outputs": [{"type": "logs", "logs": "42"}]}),
                said_by_model(&id("msg"), &content),
            ]
        }
    }
}

fn reasoning(id: &str, summary: &Value) -> Value {
    json!({"type": "reasoning", "id": id, "encrypted_content": format!("{SEAL}{id}"),
        "summary": summary})
}

fn said_by_model(id: &str, content: &Value) -> Value {
    json!({"type": "message", "id": id, "role": "assistant", "status": "completed",
        "content": content})
}

//! What was said, in the JSON of the conventions; it is sent only when that is asked for.

use legwork_core::message::Part;
use legwork_core::{FinishReason, Response, ToolOutcome};
use serde_json::{Value, json};

/// A message of one text.
pub(crate) fn said(role: &str, text: &str) -> String {
    json!([{"role": role, "parts": [{"type": "text", "content": text}]}]).to_string()
}

/// An answer of one text.
pub(crate) fn answered(text: &str, finish: Option<&FinishReason>) -> String {
    output(vec![json!({"type": "text", "content": text})], finish)
}

/// What a model answered.
pub(crate) fn of_response(response: &Response) -> String {
    let parts = response.message.parts.iter().filter_map(part).collect();
    output(parts, Some(&response.finish))
}

fn output(parts: Vec<Value>, finish: Option<&FinishReason>) -> String {
    let finish = finish.map_or_else(|| "stop".to_owned(), ToString::to_string);
    json!([{"role": "assistant", "parts": parts, "finish_reason": finish}]).to_string()
}

fn part(part: &Part) -> Option<Value> {
    Some(match part {
        Part::Text(text) => json!({"type": "text", "content": text.text}),
        Part::ToolCall(call) => {
            let text = &call.arguments;
            let arguments = serde_json::from_str(text).unwrap_or_else(|_| Value::from(&**text));
            json!({"type": "tool_call", "id": call.id, "name": call.name, "arguments": arguments})
        }
        // Thinking is a model's own, and files are no text.
        _ => return None,
    })
}

/// What a call gave, as people see it.
pub(crate) fn of_outcome(outcome: &ToolOutcome) -> String {
    outcome.to_text()
}

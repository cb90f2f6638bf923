//! What an answer means, worked out another way than the crate does it: of a stream only the
//! whole response in its last event is looked at, which the crate mostly skips.

use legwork_core::{Part, Response};
use legwork_models::answer::Unreadable;
use serde_json::{Value, json};

use crate::oracle::Row;

/// The response that a row ends with.
pub(super) fn whole(row: &Row) -> Value {
    if !row.streaming {
        return serde_json::from_str(&row.body).unwrap();
    }
    let data = row.body.lines().rev().filter_map(|line| line.strip_prefix("data: {"));
    let mut events = data.map(|data| serde_json::from_str::<Value>(&format!("{{{data}")).unwrap());
    events.find(|event| event["type"] == "response.completed").unwrap()["response"].take()
}

/// The summary that a row's answer should come to.
pub(super) fn expected(row: &Row) -> Value {
    let body = whole(row);
    if let error @ Value::Object(_) = &body["error"] {
        return json!({"error": {"status": row.status, "code": error["code"],
            "message": error["message"]}});
    }
    let output = list(&body["output"]);
    let calls = output.iter().any(|item| item["type"] == "function_call");
    let usage = &body["usage"];
    json!({
        "parts": output.iter().flat_map(parts).collect::<Vec<_>>(),
        "finish": if calls { "tool_calls" } else { "stop" },
        "id": body["id"],
        "model": body["model"],
        "usage": [usage["input_tokens"], usage["output_tokens"],
            usage["input_tokens_details"]["cached_tokens"],
            usage["output_tokens_details"]["reasoning_tokens"]],
    })
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn parts(item: &Value) -> Vec<Value> {
    let id = &item["id"];
    let texts = |key: &str| list(&item[key]).iter().map(|part| part["text"].clone());
    match item["type"].as_str() {
        Some("message") => texts("content").map(|text| json!(["text", id, text])).collect(),
        Some("reasoning") => {
            let all: Vec<_> = texts("summary").chain(texts("content")).collect();
            let all = if all.is_empty() { vec![json!("")] } else { all };
            all.into_iter().map(|text| json!(["thinking", id, text])).collect()
        }
        Some("function_call") => {
            vec![json!(["call", id, item["call_id"], item["name"], item["arguments"]])]
        }
        _ => vec![item.clone()],
    }
}

/// An answer in short, to compare.
pub(super) fn summary(result: &Result<Response, Unreadable>) -> Value {
    let response = match result {
        Ok(response) => response,
        Err(Unreadable::Api(error)) => {
            return json!({"error": {"status": error.status, "code": error.code,
                "message": error.message}});
        }
        Err(other) => return json!({"unreadable": other.to_string()}),
    };
    let usage = response.usage.unwrap_or_default();
    json!({
        "parts": response.message.parts.iter().map(of_part).collect::<Vec<_>>(),
        "finish": response.finish.as_str(),
        "id": response.id,
        "model": response.model.as_deref(),
        "usage": [usage.input, usage.output, usage.cache_read, usage.reasoning],
    })
}

fn of_part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!(["text", text.id, text.text]),
        Part::Thinking(thinking) => json!(["thinking", thinking.id, thinking.text]),
        Part::ToolCall(call) => {
            let id = call.provider.as_ref().map(|own| own.data.value()["id"].clone());
            json!(["call", id, call.id.as_str(), &*call.name, &*call.arguments])
        }
        Part::Other(value) => value.clone(),
        other => panic!("{other:?}"),
    }
}

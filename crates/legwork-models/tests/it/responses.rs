//! The API Responses: recorded answers, streams, requests, and answers that are sent back.

mod background;
mod continued;
mod oracle;
mod recordings;
mod requests;
mod round_trip;
mod streams;
mod traffic;

use legwork_core::ModelRequest;
use legwork_models::answer::{Ended, Streaming, Unreadable};
use legwork_models::{Api, HttpModel, openai};
use serde_json::{Value, json};

use crate::answers::{Seen, read_of};

fn model() -> HttpModel {
    openai::responses("http://127.0.0.1:1/v1", "gpt-5-mini").build().unwrap()
}

/// What is sent, as JSON that the schema of the API allows.
fn sent(model: &HttpModel, request: &ModelRequest) -> Value {
    let body = model.body(request, Streaming::Yes).unwrap();
    let body = serde_json::from_slice(&body).unwrap();
    assert!(is_valid(&body), "{body}");
    body
}

/// Checks a body against the official schema; true where there is none.
fn is_valid(body: &Value) -> bool {
    crate::is_valid(Api::Responses, body)
}

type Came = (Result<legwork_core::Response, Unreadable>, Seen);

fn stream(events: &[Value]) -> Came {
    let text: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    read_of(Api::Responses, 200, "text/event-stream", [text.as_bytes()], Ended::Whole)
}

fn body(body: &Value) -> Came {
    let bytes = body.to_string();
    read_of(Api::Responses, 200, "application/json", [bytes.as_bytes()], Ended::Whole)
}

/// The last event of a stream.
fn completed(output: Value) -> Value {
    json!({"type": "response.completed", "response": {"id": "r1", "model": "m",
        "status": "completed", "output": output,
        "usage": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}}})
}

fn item(event: &str, index: u64, item: Value) -> Value {
    json!({"type": format!("response.output_item.{event}"), "output_index": index, "item": item})
}

fn delta(event: &str, index: u64, delta: &str) -> Value {
    json!({"type": format!("response.{event}.delta"), "output_index": index, "content_index": 0,
        "delta": delta})
}

fn said(id: &str, text: &str) -> Value {
    json!({"type": "message", "id": id, "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]})
}

//! A request as data, and its digest.

use legwork_core::digest::Digest;
use legwork_core::{Message, ModelRequest};
use serde_json::{Value, json};

/// A request as data: all that decides what a model answers.
///
/// The limit of the answer is left out: it depends on what a budget has left.
pub(super) fn as_data(model: &str, request: &ModelRequest) -> Value {
    let tools: Vec<_> = request.tools.iter().map(|spec| value_of(&**spec)).collect();
    let messages: Vec<_> = request.messages().iter().map(|message| content(message)).collect();
    json!({
        "model": model,
        "settings": value_of(&*request.settings),
        "instructions": &*request.instructions,
        "tools": tools,
        "tool_choice": value_of(&request.tool_choice),
        "response_format": request.response_format.as_deref(),
        "messages": messages,
    })
}

/// The digest of a request as data.
pub(super) fn digest(model: &str, request: &ModelRequest) -> Digest {
    Digest::of(&as_data(model, request))
}

/// What a model reads of a message: no metadata, and not who wrote it.
fn content(message: &Message) -> Value {
    json!({ "role": value_of(&message.role), "parts": value_of(&message.parts) })
}

fn value_of<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

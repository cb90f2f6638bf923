//! Requests: the bytes of messages and tools, encoded once, strung together.

use std::sync::Arc;

use legwork_core::inference::{ModelRequest, ToolChoice};
use legwork_core::message::Wire;
use legwork_core::tool::{ToolSpec, ToolSpecs};
use serde::Serialize;
use serde_json::{Map, Value, json};

mod message;

/// The name under which encoded bytes are kept beside messages and tools.
pub(super) const WIRE: Wire = Wire("openai-chat");

/// Fields that cannot be set from outside: the wire's own, and `n`, for only one
/// answer is read.
pub(super) const OWN_FIELDS: [&str; 5] = ["messages", "stream", "tools", "model", "n"];

/// Which field limits the length of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxTokensField {
    /// `max_tokens`, as most servers know it.
    MaxTokens,
    /// `max_completion_tokens`, as OpenAI itself wants it.
    MaxCompletionTokens,
}

impl MaxTokensField {
    fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// What a body needs beside the request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) model: &'a str,
    pub(super) max_tokens: MaxTokensField,
    pub(super) extra: &'a Map<String, Value>,
    pub(super) stream: Stream,
}

/// Whether the answer is to be streamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    No,
    Yes,
    WithUsage,
}

/// The body of a request.
pub(super) fn body(request: &ModelRequest, frame: Frame<'_>) -> Vec<u8> {
    let encoded: Vec<_> =
        request.messages().iter().map(|m| m.encoded(WIRE, message::bytes)).collect();
    let tools = (!request.tools.is_empty()).then(|| request.tools.encoded(WIRE, tools));
    let size = encoded.iter().map(|bytes| bytes.len() + 1).sum::<usize>()
        + tools.as_ref().map_or(0, |bytes| bytes.len())
        + request.instructions.len()
        + 512;
    let mut out = Vec::with_capacity(size);
    out.extend_from_slice(b"{\"model\":");
    write(&mut out, frame.model);
    out.extend_from_slice(b",\"messages\":[");
    messages(&mut out, &request.instructions, &encoded);
    out.push(b']');
    if let Some(tools) = tools {
        out.extend_from_slice(b",\"tools\":");
        out.extend_from_slice(&tools);
    }
    for (key, value) in settings(request, frame) {
        out.push(b',');
        write(&mut out, &key);
        out.push(b':');
        write(&mut out, &value);
    }
    if frame.stream != Stream::No {
        out.extend_from_slice(b",\"stream\":true");
    }
    out.push(b'}');
    out
}

fn messages(out: &mut Vec<u8>, instructions: &str, encoded: &[Arc<[u8]>]) {
    let mut first = true;
    if !instructions.is_empty() {
        out.extend_from_slice(b"{\"role\":\"system\",\"content\":");
        write(out, instructions);
        out.push(b'}');
        first = false;
    }
    for bytes in encoded.iter().filter(|bytes| !bytes.is_empty()) {
        if !first {
            out.push(b',');
        }
        first = false;
        out.extend_from_slice(bytes);
    }
}

/// The small fields; what is set from outside wins over what is set here.
fn settings(request: &ModelRequest, frame: Frame<'_>) -> Map<String, Value> {
    let mut fields = Map::new();
    if let Some(most) = request.max_output {
        fields.insert(frame.max_tokens.name().to_owned(), most.into());
    }
    if let Some(temperature) = request.settings.temperature {
        fields.insert("temperature".to_owned(), temperature.into());
    }
    if let Some(choice) = tool_choice(request) {
        fields.insert("tool_choice".to_owned(), choice);
    }
    if let Some(schema) = &request.response_format {
        fields.insert("response_format".to_owned(), response_format(schema));
    }
    if frame.stream == Stream::WithUsage {
        fields.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    for (key, value) in frame.extra.iter().chain(&request.settings.extra) {
        fields.insert(key.clone(), value.clone());
    }
    fields
}

fn tool_choice(request: &ModelRequest) -> Option<Value> {
    if request.tools.is_empty() {
        return None;
    }
    match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Named(name) => Some(json!({"type": "function", "function": {"name": name}})),
    }
}

fn response_format(schema: &Value) -> Value {
    let title = schema.get("title").and_then(Value::as_str).unwrap_or("response");
    let allowed = |c: &char| c.is_ascii_alphanumeric() || *c == '_' || *c == '-';
    let name: String = title.chars().filter(allowed).take(64).collect();
    let name = if name.is_empty() { "response" } else { &name };
    json!({"type": "json_schema", "json_schema": {"name": name, "schema": schema}})
}

fn tools(specs: &ToolSpecs) -> Vec<u8> {
    let tool = |spec: &Arc<ToolSpec>| {
        let (name, description) = (&*spec.name, &*spec.description);
        let function =
            json!({"name": name, "description": description, "parameters": spec.parameters});
        json!({"type": "function", "function": function})
    };
    to_bytes(&specs.iter().map(tool).collect::<Vec<_>>())
}

fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out, value);
    out
}

/// Writing JSON made of text and values to memory cannot fail.
fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok(), "text and values are always JSON");
}

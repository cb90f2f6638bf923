//! Requests: the bytes of messages and tools, encoded once, strung together.

use std::sync::Arc;

use legwork_core::inference::{ModelRequest, ThinkingLevel, ToolChoice};
use legwork_core::tool::{ToolSpec, ToolSpecs};
use serde::Serialize;
use serde_json::{Map, Value, json};

mod head;
mod message;

pub(super) use head::Head;

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

/// What a body needs in addition to the request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) head: &'a Head,
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
    let mut out = Vec::with_capacity(size(request));
    frame.head.append(&request.instructions, &mut out);
    let Head { wire, provider, .. } = frame.head;
    request.messages().append_encoded(wire, &mut out, |said, out| {
        let start = out.len();
        said.append_encoded(wire, out, |said, out| message::append(said, provider, out));
        if out.len() > start {
            out.push(b',');
        }
    });
    if out.last() == Some(&b',') {
        out.pop();
    }
    out.push(b']');
    if !request.tools.is_empty() {
        out.extend_from_slice(b",\"tools\":");
        request.tools.append_encoded(wire, &mut out, tools);
    }
    settings(request, frame, &mut out);
    if frame.stream != Stream::No {
        out.extend_from_slice(b",\"stream\":true");
    }
    out.push(b'}');
    out
}

/// About how long a body becomes, rather more: what it says, and what is around it.
fn size(request: &ModelRequest) -> usize {
    let said = usize::try_from(request.weight()).unwrap_or(0);
    said + said / 8 + 64 * request.messages().len() + 512
}

/// The small fields; what is set from outside wins over what is set here.
fn settings(request: &ModelRequest, frame: Frame<'_>, out: &mut Vec<u8>) {
    let inner = &request.settings.extra;
    for (key, value) in own_settings(request, frame).into_iter().flatten() {
        if !frame.extra.contains_key(key) && !inner.contains_key(key) {
            field(out, key, &value);
        }
    }
    for (key, value) in frame.extra.iter().filter(|(key, _)| !inner.contains_key(*key)) {
        field(out, key, value);
    }
    for (key, value) in inner {
        field(out, key, value);
    }
}

fn own_settings(request: &ModelRequest, frame: Frame<'_>) -> [Option<(&'static str, Value)>; 10] {
    let usage = frame.stream == Stream::WithUsage;
    let settings = &request.settings;
    let parallel = settings.parallel_calls.filter(|_| !request.tools.is_empty());
    [
        settings.thinking.as_ref().map(|level| ("reasoning_effort", effort(level).into())),
        settings.top_p.map(|share| ("top_p", share.into())),
        settings.seed.map(|seed| ("seed", seed.into())),
        (!settings.stop.is_empty()).then(|| ("stop", settings.stop.clone().into())),
        parallel.map(|parallel| ("parallel_tool_calls", parallel.into())),
        request.max_output.map(|most| (frame.max_tokens.name(), most.into())),
        settings.temperature.map(|warm| ("temperature", warm.into())),
        tool_choice(request).map(|choice| ("tool_choice", choice)),
        request
            .response_format
            .as_deref()
            .map(|schema| ("response_format", response_format(schema))),
        usage.then(|| ("stream_options", json!({"include_usage": true}))),
    ]
}

/// The level in the words of this wire.
fn effort(level: &ThinkingLevel) -> &str {
    match level {
        ThinkingLevel::Off => "none",
        level => level.as_str(),
    }
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

fn tools(specs: &ToolSpecs, out: &mut Vec<u8>) {
    let tool = |spec: &Arc<ToolSpec>| {
        let (name, description) = (&*spec.name, &*spec.description);
        let function =
            json!({"name": name, "description": description, "parameters": spec.parameters});
        json!({"type": "function", "function": function})
    };
    write(out, &specs.iter().map(tool).collect::<Vec<_>>());
}

/// Appends a field behind others.
fn field(out: &mut Vec<u8>, key: &str, value: &Value) {
    out.push(b',');
    write(out, key);
    out.push(b':');
    write(out, value);
}

/// Writing JSON made of text and values to memory cannot fail.
fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok(), "text and values are always JSON");
}

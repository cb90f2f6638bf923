//! One message as this wire writes it: blocks of content.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use legwork_core::message::{
    File, Image, MediaSource, Message, Part, ResultPart, Role, Thinking, ToolResult,
};
use legwork_core::tool::ToolCall;
use serde_json::{Value, json};

use crate::wire::{append_arguments, field, fitting, is_by, thoughts, write};

/// The longest id of a call.
const ID: usize = 64;

/// What is sent of a message that has nothing that could be sent: an empty one is refused.
const NOTHING: &str = "(empty)";

/// Whose turn a message belongs to: results of tools come from the user's side.
pub(super) fn role(message: &Message) -> &'static str {
    match message.role {
        Role::Assistant => "assistant",
        _ => "user",
    }
}

/// Appends the blocks of a message for a provider, separated by commas; never none.
pub(super) fn append(message: &Message, provider: &str, out: &mut Vec<u8>) {
    let start = out.len();
    let is_own = is_by(message, provider);
    for part in &message.parts {
        let before = out.len();
        if before > start {
            out.push(b',');
        }
        let begun = out.len();
        block(part, &message.role, is_own, provider, out);
        if out.len() == begun {
            out.truncate(before);
        }
    }
    if out.len() == start {
        text(&thoughts(message).unwrap_or_else(|| NOTHING.to_owned()), None, out);
    }
}

/// Appends a part; nothing if this wire has no place for it.
fn block(part: &Part, role: &Role, is_own: bool, provider: &str, out: &mut Vec<u8>) {
    match part {
        Part::Text(said) | Part::Refusal(said) => {
            let data = said.provider.as_ref().and_then(|data| data.of(provider));
            text(&said.text, data.as_ref().and_then(|data| data.get("citations")), out);
        }
        Part::Thinking(thinking) => own_thinking(thinking, provider, out),
        Part::ToolCall(called) if *role == Role::Assistant => call(called, provider, out),
        Part::ToolResult(answered) => result(answered, out),
        Part::Image(shown) => write_some(image(shown), out),
        Part::File(given) => write(out, &file(given)),
        Part::Other(value) if is_own => write(out, value),
        _ => {}
    }
}

/// A text that is blank is refused, so it is left out.
fn text(text: &str, citations: Option<&Value>, out: &mut Vec<u8>) {
    if text.trim().is_empty() {
        return;
    }
    out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
    write(out, text);
    if let Some(citations) = citations {
        field(out, "citations", citations);
    }
    out.push(b'}');
}

/// Thinking of this provider, as it came: with its signature, or as data that only it can read.
fn own_thinking(thinking: &Thinking, provider: &str, out: &mut Vec<u8>) {
    let data = thinking.provider.as_ref().and_then(|data| data.of(provider));
    let own = |name: &str| data.as_ref().and_then(|data| data.get(name)?.as_str());
    if let Some(data) = own("redacted") {
        write(out, &json!({"type": "redacted_thinking", "data": data}));
    } else if let Some(signature) = own("signature") {
        out.extend_from_slice(b"{\"type\":\"thinking\",\"thinking\":");
        write(out, &thinking.text);
        out.extend_from_slice(b",\"signature\":");
        write(out, signature);
        out.push(b'}');
    }
}

fn call(call: &ToolCall, provider: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"tool_use\",\"id\":");
    write(out, &*fitting(call.id.as_str(), ID));
    out.extend_from_slice(b",\"name\":");
    write(out, &*call.name);
    out.extend_from_slice(b",\"input\":");
    append_arguments(out, call);
    let data = call.provider.as_ref().and_then(|data| data.of(provider));
    if let Some(caller) = data.as_ref().and_then(|data| data.get("caller")) {
        field(out, "caller", caller);
    }
    out.push(b'}');
}

fn result(result: &ToolResult, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"tool_result\",\"tool_use_id\":");
    write(out, &*fitting(result.call.as_str(), ID));
    let is_text = |part: &ResultPart| matches!(part, ResultPart::Text(_) | ResultPart::Json(_));
    if result.parts.iter().all(is_text) {
        out.extend_from_slice(b",\"content\":");
        write(out, &*result.text());
    } else {
        let blocks: Vec<_> = result.parts.iter().filter_map(result_part).collect();
        out.extend_from_slice(b",\"content\":");
        write(out, &blocks);
    }
    if result.is_error {
        out.extend_from_slice(b",\"is_error\":true");
    }
    out.push(b'}');
}

fn result_part(part: &ResultPart) -> Option<Value> {
    match part {
        ResultPart::Image(shown) => image(shown),
        ResultPart::File(given) => Some(file(given)),
        part => {
            let text = part.text();
            (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
        }
    }
}

fn image(image: &Image) -> Option<Value> {
    let source = match &image.source {
        MediaSource::Url(url) => json!({"type": "url", "url": url}),
        MediaSource::Base64(data) => {
            json!({"type": "base64", "media_type": image.media_type, "data": data})
        }
        _ => return None,
    };
    Some(json!({"type": "image", "source": source}))
}

/// A PDF or a text; of any other the model reads that it is there.
fn file(file: &File) -> Value {
    let is_pdf = file.media_type == "application/pdf";
    let source = match &file.source {
        MediaSource::Base64(data) if let Some(text) = plain_text(&file.media_type, data) => {
            json!({"type": "text", "media_type": "text/plain", "data": text})
        }
        MediaSource::Base64(data) if is_pdf => {
            json!({"type": "base64", "media_type": file.media_type, "data": data})
        }
        MediaSource::Url(url) if is_pdf => json!({"type": "url", "url": url}),
        _ => return json!({"type": "text", "text": ResultPart::File(file.clone()).text()}),
    };
    match &file.name {
        None => json!({"type": "document", "source": source}),
        Some(name) => json!({"type": "document", "source": source, "title": name}),
    }
}

/// The text of a file that is one.
fn plain_text(media_type: &str, data: &str) -> Option<String> {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let is_text = essence.starts_with("text/")
        || matches!(essence, "application/json" | "application/xml" | "application/yaml");
    let bytes = is_text.then(|| BASE64_STANDARD.decode(data).ok())??;
    String::from_utf8(bytes).ok().filter(|text| !text.trim().is_empty())
}

fn write_some(value: Option<Value>, out: &mut Vec<u8>) {
    if let Some(value) = value {
        write(out, &value);
    }
}

//! What a model said, as the items that this wire writes.

use legwork_core::message::{Author, Message, Part};
use legwork_core::tool::ToolCall;
use serde_json::{Map, Value, json};

use super::message::{Items, call_id};
use crate::wire::{field, write};

#[cfg(test)]
mod tests;

/// What the model said; consecutive parts of one item become that item again.
pub(super) fn append(message: &Message, provider: &str, items: &mut Items<'_>) {
    let parts = &message.parts;
    for group in parts.chunk_by(|part, next| are_of_one_item(part, next, provider)) {
        match group {
            [Part::Text(_) | Part::Refusal(_), ..] => words(group, provider, items),
            [first @ Part::Thinking(thinking), ..] => {
                if let Some(fields) = own(first, provider) {
                    reasoning(thinking.id.as_deref(), &fields, group, provider, items);
                }
            }
            [Part::ToolCall(call), ..] => append_call(call, provider, items),
            [Part::Other(item), ..] if is_item(item) && is_by(message, provider) => {
                write(items.next(), item);
            }
            _ => {}
        }
    }
    let is_thinking = |part: &Part| matches!(part, Part::Thinking(_));
    if items.is_empty() && parts.iter().all(is_thinking) {
        plain(&texts(parts), None, items);
    }
}

/// What the provider attached to a part over this API.
fn own(part: &Part, provider: &str) -> Option<Map<String, Value>> {
    let Value::Object(fields) = part.provider()?.of(provider)? else { return None };
    let kind = match part {
        Part::Text(_) | Part::Refusal(_) => "message",
        Part::Thinking(_) => "reasoning",
        _ => return None,
    };
    (fields.get("type")? == kind).then_some(fields)
}

/// Whether a part goes on with the item of the part before it.
fn are_of_one_item(part: &Part, next: &Part, provider: &str) -> bool {
    let both = || (own(part, provider), own(next, provider));
    match (part, next) {
        (Part::Text(text) | Part::Refusal(text), Part::Text(other) | Part::Refusal(other)) => {
            let (ours, theirs) = both();
            ours.is_some() == theirs.is_some() && (ours.is_none() || text.id == other.id)
        }
        (Part::Thinking(thinking), Part::Thinking(other)) => {
            let (ours, theirs) = both();
            let goes_on = theirs.is_some_and(|fields| !fields.contains_key("encrypted_content"));
            ours.is_some() && goes_on && thinking.id == other.id
        }
        _ => false,
    }
}

/// Whether a model of this provider wrote a message.
fn is_by(message: &Message, provider: &str) -> bool {
    let Some(Author::Model(name)) = &message.author else { return false };
    name.strip_prefix(provider).is_some_and(|rest| rest.starts_with(':'))
}

/// Whether a part of another kind is an item of this API, which can be sent back.
///
/// Parts that another API of the same provider made are none.
fn is_item(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    let ends = ["_call", "_output", "compaction", "program"];
    kind.starts_with("mcp_") || ends.iter().any(|end| kind.ends_with(end))
}

/// The words of a message, under its id if this provider gave it one.
fn words(group: &[Part], provider: &str, items: &mut Items<'_>) {
    let Some(Part::Text(first) | Part::Refusal(first)) = group.first() else { return };
    let fields = group.first().and_then(|part| own(part, provider));
    let fields = fields.as_ref();
    let phase = fields.and_then(|fields| fields.get("phase"));
    let Some(id) = first.id.as_deref().filter(|_| fields.is_some()) else {
        return plain(&texts(group), phase, items);
    };
    let out = items.next();
    out.extend_from_slice(b"{\"type\":\"message\",\"role\":\"assistant\",\"id\":");
    write(out, id);
    let completed = Value::from("completed");
    field(out, "status", fields.and_then(|fields| fields.get("status")).unwrap_or(&completed));
    if let Some(phase) = phase {
        field(out, "phase", phase);
    }
    out.extend_from_slice(b",\"content\":[");
    for part in group {
        content(part, provider, out);
        out.push(b',');
    }
    out.pop();
    out.extend_from_slice(b"]}");
}

/// A text or a refusal of this provider.
fn content(part: &Part, provider: &str, out: &mut Vec<u8>) {
    match part {
        Part::Text(text) => {
            let fields = own(part, provider);
            out.extend_from_slice(b"{\"type\":\"output_text\",\"text\":");
            write(out, &text.text);
            for key in ["annotations", "logprobs"] {
                let none = Value::Array(Vec::new());
                let fields = fields.as_ref();
                field(out, key, fields.and_then(|fields| fields.get(key)).unwrap_or(&none));
            }
            out.push(b'}');
        }
        Part::Refusal(text) => {
            out.extend_from_slice(b"{\"type\":\"refusal\",\"refusal\":");
            write(out, &text.text);
            out.push(b'}');
        }
        _ => {}
    }
}

/// Words of a model, whoever made it; nothing if there are none.
fn plain(text: &str, phase: Option<&Value>, items: &mut Items<'_>) {
    if text.is_empty() {
        return;
    }
    let out = items.next();
    out.extend_from_slice(b"{\"role\":\"assistant\",\"content\":");
    write(out, text);
    if let Some(phase) = phase {
        field(out, "phase", phase);
    }
    out.push(b'}');
}

/// The words of parts.
fn texts(parts: &[Part]) -> String {
    let text = |part: &Part| match part {
        Part::Text(text) | Part::Refusal(text) => text.text.clone(),
        Part::Thinking(thinking) => thinking.text.clone(),
        _ => String::new(),
    };
    parts.iter().map(text).collect()
}

/// An item of reasoning as it came.
fn reasoning(
    id: Option<&str>,
    fields: &Map<String, Value>,
    group: &[Part],
    provider: &str,
    items: &mut Items<'_>,
) {
    let out = items.next();
    out.extend_from_slice(b"{\"type\":\"reasoning\"");
    if let Some(id) = id {
        out.extend_from_slice(b",\"id\":");
        write(out, id);
    }
    let is_content =
        |part: &&Part| own(part, provider).is_some_and(|fields| fields.contains_key("part"));
    let (content, summary): (Vec<_>, Vec<_>) = group.iter().partition(is_content);
    thoughts("summary", "summary_text", &summary, out);
    if !content.is_empty() {
        thoughts("content", "reasoning_text", &content, out);
    }
    for (key, value) in fields.iter().filter(|(key, _)| !matches!(&***key, "type" | "part")) {
        field(out, key, value);
    }
    out.push(b'}');
}

/// The texts of reasoning; a part without text only holds what the provider attached.
fn thoughts(key: &str, kind: &str, parts: &[&Part], out: &mut Vec<u8>) {
    let text = |part: &&Part| match part {
        Part::Thinking(thinking) if !thinking.text.is_empty() => {
            Some(json!({"type": kind, "text": thinking.text}))
        }
        _ => None,
    };
    field(out, key, &parts.iter().filter_map(text).collect());
}

/// A call as the model made it, with what its provider wants back.
fn append_call(call: &ToolCall, provider: &str, items: &mut Items<'_>) {
    let arguments = match call.arguments.trim() {
        "" => "{}",
        _ => &call.arguments,
    };
    let out = items.next();
    out.extend_from_slice(b"{\"type\":\"function_call\",\"call_id\":");
    write(out, &*call_id(&call.id));
    out.extend_from_slice(b",\"name\":");
    write(out, &*call.name);
    out.extend_from_slice(b",\"arguments\":");
    write(out, arguments);
    append_fields(call, provider, out);
    out.push(b'}');
}

/// The other fields of a call, which its provider attached over this API.
fn append_fields(call: &ToolCall, provider: &str, out: &mut Vec<u8>) {
    let data = call.provider.as_ref().and_then(|data| data.text_of(provider));
    let Some(data) = data else { return };
    if let Some(id) = only_id(data.as_str()) {
        out.extend_from_slice(b",\"id\":\"");
        out.extend_from_slice(id.as_bytes());
        return out.push(b'"');
    }
    let Value::Object(fields) = data.value() else { return };
    if fields.get("type").is_none_or(|kind| kind != "function_call") {
        return;
    }
    let written = ["type", "call_id", "name", "arguments"];
    for (key, value) in fields.iter().filter(|(key, _)| !written.contains(&key.as_str())) {
        field(out, key, value);
    }
}

/// The id of a call to which its provider attached nothing else, as it is written.
fn only_id(fields: &str) -> Option<&str> {
    let id = fields.strip_prefix("{\"id\":\"")?.strip_suffix("\",\"type\":\"function_call\"}")?;
    let is_plain = |byte: u8| byte != b'"' && byte != b'\\';
    id.bytes().all(is_plain).then_some(id)
}

//! One message as this wire writes it.

use std::borrow::Cow;

use legwork_core::message::{MediaSource, Message, Part, Role, ToolResult};
use legwork_core::tool::ToolCall;
use serde::Serialize;
use serde_json::Value;

use crate::wire::{field, write};

/// Appends a message for a provider; one of several tool results becomes as many.
pub(super) fn append(message: &Message, provider: &str, out: &mut Vec<u8>) {
    match &message.role {
        Role::Assistant => assistant(message, provider, out),
        Role::Tool => tool_results(message, out),
        role => write(out, &Said { role: role.as_str(), content: Content::of(&message.parts) }),
    }
}

/// What a person says.
#[derive(Serialize)]
struct Said<'a> {
    role: &'a str,
    content: Content<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Parts(Vec<ContentPart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentPart<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: Url<'a> },
}

#[derive(Serialize)]
struct Url<'a> {
    url: Cow<'a, str>,
}

impl<'a> Content<'a> {
    fn of(parts: &'a [Part]) -> Self {
        if let [Part::Text(text)] = parts {
            return Self::Text(&text.text);
        }
        let list: Vec<_> = parts.iter().filter_map(ContentPart::of).collect();
        if list.is_empty() { Self::Text("") } else { Self::Parts(list) }
    }
}

impl<'a> ContentPart<'a> {
    fn of(part: &'a Part) -> Option<Self> {
        match part {
            Part::Text(text) | Part::Refusal(text) => Some(Self::Text { text: &text.text }),
            Part::Image(image) => {
                let url = match &image.source {
                    MediaSource::Url(url) => Cow::Borrowed(url.as_str()),
                    MediaSource::Base64(data) => {
                        Cow::Owned(format!("data:{};base64,{data}", image.media_type))
                    }
                    _ => return None,
                };
                Some(Self::ImageUrl { image_url: Url { url } })
            }
            _ => None,
        }
    }
}

/// What the model said. Its thinking is not sent: this wire has no place for it.
fn assistant(message: &Message, provider: &str, out: &mut Vec<u8>) {
    let (text, mut calls) = (said(&message.parts), message.tool_calls());
    let first = calls.next();
    out.extend_from_slice(b"{\"role\":\"assistant\",\"content\":");
    if first.is_some() && text.is_empty() {
        out.extend_from_slice(b"null");
    } else {
        write(out, &*text);
    }
    if let Some(first) = first {
        out.extend_from_slice(b",\"tool_calls\":[");
        append_call(first, provider, out);
        for next in calls {
            out.push(b',');
            append_call(next, provider, out);
        }
        out.push(b']');
    }
    out.push(b'}');
}

/// The words of a model, a refusal among them; copied only if they are split.
fn said(parts: &[Part]) -> Cow<'_, str> {
    let mut texts = parts.iter().filter_map(|part| match part {
        Part::Text(text) | Part::Refusal(text) => Some(text.text.as_str()),
        _ => None,
    });
    match (texts.next(), texts.next()) {
        (None, _) => Cow::Borrowed(""),
        (Some(only), None) => Cow::Borrowed(only),
        (Some(first), Some(second)) => [first, second].into_iter().chain(texts).collect(),
    }
}

/// A call as the model made it, with the fields that its provider wants back.
fn append_call(call: &ToolCall, provider: &str, out: &mut Vec<u8>) {
    let arguments = match call.arguments.trim() {
        "" => "{}",
        _ => &call.arguments,
    };
    let fields = call.provider.as_ref().and_then(|data| data.of(provider));
    // Those of Responses at the same provider are of another shape.
    let is_other = |fields: &&Value| fields.get("type").is_some_and(|kind| kind == "function_call");
    let fields = fields.filter(|fields| !is_other(fields));
    out.extend_from_slice(b"{\"id\":");
    write(out, call.id.as_str());
    out.extend_from_slice(b",\"type\":\"function\",\"function\":{\"name\":");
    write(out, &*call.name);
    out.extend_from_slice(b",\"arguments\":");
    write(out, arguments);
    append_fields(fields.and_then(|fields| fields.get("function")), &["name", "arguments"], out);
    out.push(b'}');
    append_fields(fields, &["id", "type", "function"], out);
    out.push(b'}');
}

/// The provider's fields of an object, but for those that are written already.
fn append_fields(provider: Option<&Value>, written: &[&str], out: &mut Vec<u8>) {
    let Some(fields) = provider.and_then(Value::as_object) else { return };
    for (key, value) in fields {
        if !written.contains(&key.as_str()) {
            field(out, key, value);
        }
    }
}

fn tool_results(message: &Message, out: &mut Vec<u8>) {
    let start = out.len();
    for part in &message.parts {
        let Part::ToolResult(result) = part else { continue };
        if out.len() > start {
            out.push(b',');
        }
        append_result(result, out);
    }
}

fn append_result(result: &ToolResult, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"role\":\"tool\",\"tool_call_id\":");
    write(out, result.call.as_str());
    out.extend_from_slice(b",\"content\":");
    write(out, &*result.text());
    out.push(b'}');
}

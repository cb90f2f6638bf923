//! One message as this wire writes it.

use std::borrow::Cow;

use legwork_core::message::{File, MediaSource, Message, Part, ResultPart, Role, ToolResult};
use legwork_core::tool::ToolCall;
use serde::Serialize;
use serde_json::Value;

use crate::wire::{Quirks, ThinkingBack, field, is_by, thoughts, write};

/// Whom a message is written for.
#[derive(Clone, Copy)]
pub(super) struct To<'a> {
    /// The provider, as in `provider:model`.
    pub(super) provider: &'a str,
    pub(super) quirks: &'a Quirks,
}

/// Appends a message; one of several tool results becomes as many.
pub(super) fn append(message: &Message, to: To<'_>, out: &mut Vec<u8>) {
    match &message.role {
        Role::Assistant => assistant(message, to, out),
        Role::Tool => tool_results(message, to, out),
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
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: Url<'a> },
    File { file: Named<'a> },
    InputAudio { input_audio: Audio<'a> },
}

#[derive(Serialize)]
struct Named<'a> {
    filename: &'a str,
    file_data: String,
}

#[derive(Serialize)]
struct Audio<'a> {
    data: &'a str,
    format: &'static str,
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
            Part::Text(text) | Part::Refusal(text) => {
                Some(Self::Text { text: Cow::Borrowed(&text.text) })
            }
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
            Part::File(file) => Some(Self::of_file(file)),
            _ => None,
        }
    }
}

impl<'a> ContentPart<'a> {
    /// A file or a sound that is at hand; of one at a URL the model reads that it is there.
    fn of_file(file: &'a File) -> Self {
        let MediaSource::Base64(data) = &file.source else {
            let text = ResultPart::File(file.clone()).text().into_owned();
            return Self::Text { text: Cow::Owned(text) };
        };
        let format = match &*file.media_type {
            "audio/wav" | "audio/x-wav" | "audio/wave" => Some("wav"),
            "audio/mpeg" | "audio/mp3" => Some("mp3"),
            _ => None,
        };
        if let Some(format) = format {
            return Self::InputAudio { input_audio: Audio { data, format } };
        }
        let filename = file.name.as_deref().unwrap_or("file");
        let file_data = format!("data:{};base64,{data}", file.media_type);
        Self::File { file: Named { filename, file_data } }
    }
}

/// What the model said. Its thinking is sent only to a server that wants it back.
fn assistant(message: &Message, to: To<'_>, out: &mut Vec<u8>) {
    let (mut text, mut calls) = (said(&message.parts), message.tool_calls());
    let is_own = is_by(message, to.provider);
    if !is_own && text.is_empty() && message.tool_calls().next().is_none() {
        text = thoughts(message).map_or(text, Cow::Owned);
    }
    let first = calls.next();
    out.extend_from_slice(b"{\"role\":\"assistant\",\"content\":");
    if first.is_some() && text.is_empty() {
        out.extend_from_slice(b"null");
    } else {
        write(out, &*text);
    }
    if let Some(first) = first {
        out.extend_from_slice(b",\"tool_calls\":[");
        append_call(first, to, out);
        for next in calls {
            out.push(b',');
            append_call(next, to, out);
        }
        out.push(b']');
    }
    let wanted = match to.quirks.thinking_back {
        ThinkingBack::Never => false,
        ThinkingBack::WithCalls => first.is_some(),
        ThinkingBack::Always => true,
    };
    if wanted && is_own {
        append_thinking(&message.parts, to.provider, out);
    }
    out.push(b'}');
}

/// The thinking as its provider sent it: in detail where it did, else as text.
fn append_thinking(parts: &[Part], provider: &str, out: &mut Vec<u8>) {
    let thinking = || {
        parts.iter().filter_map(|part| match part {
            Part::Thinking(thinking) => Some(thinking),
            _ => None,
        })
    };
    let details = thinking().find_map(|thinking| {
        thinking.provider.as_ref()?.of(provider)?.get_mut("reasoning_details").map(Value::take)
    });
    if let Some(details) = details {
        return field(out, "reasoning_details", &details);
    }
    let text: String = thinking().map(|thinking| thinking.text.as_str()).collect();
    if !text.is_empty() {
        field(out, "reasoning_content", &Value::String(text));
    }
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
fn append_call(call: &ToolCall, to: To<'_>, out: &mut Vec<u8>) {
    let arguments = match call.arguments.trim() {
        "" => "{}",
        _ => &call.arguments,
    };
    let fields = call.provider.as_ref().and_then(|data| data.of(to.provider));
    // Those of Responses at the same provider are of another shape.
    let is_other = |fields: &Value| fields.get("type").is_some_and(|kind| kind == "function_call");
    let fields = fields.filter(|fields| !is_other(fields));
    let fields = fields.as_ref();
    out.extend_from_slice(b"{\"id\":");
    write(out, &*to.quirks.call_ids.fit(call.id.as_str()));
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

fn tool_results(message: &Message, to: To<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    for part in &message.parts {
        let Part::ToolResult(result) = part else { continue };
        if out.len() > start {
            out.push(b',');
        }
        append_result(result, to, out);
    }
}

fn append_result(result: &ToolResult, to: To<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"role\":\"tool\",\"tool_call_id\":");
    write(out, &*to.quirks.call_ids.fit(result.call.as_str()));
    out.extend_from_slice(b",\"content\":");
    write(out, &*result.text());
    out.push(b'}');
}

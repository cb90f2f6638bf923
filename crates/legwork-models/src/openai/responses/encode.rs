//! Requests: the bytes of messages and tools, encoded once, strung together.

use std::sync::Arc;

use legwork_core::Message;
use legwork_core::inference::{ModelRequest, ModelSettings, ThinkingLevel, ToolChoice};
use legwork_core::tool::{ToolSpec, ToolSpecs};
use serde_json::{Map, Value, json};

use super::stored;
use crate::answer::Streaming;
use crate::named::{BACKGROUND, PREVIOUS};
use crate::openai::format::format;
use crate::wire::{
    Body, Frame, Head, Previous, Stored, append_tools, check_tools, field, fields_except,
    from_outside, provider_tools, write,
};

mod assistant;
mod message;

pub(super) use message::call_id;

/// The fields that are made of the settings and of fields from outside.
const MERGED: &[&str] = &["reasoning", "text", "tools"];

/// Those of a request that may go on from another response.
const MERGED_OR_FOUND: &[&str] = &["previous_response_id", "reasoning", "text", "tools"];

/// What each response includes, unless it is set from outside.
pub(super) const INCLUDED: &str = "reasoning.encrypted_content";

/// The fields that each request has, unless they are set from outside.
const ALWAYS: [(&str, &[u8]); 2] = [
    ("store", b",\"store\":false"),
    ("include", b",\"include\":[\"reasoning.encrypted_content\"]"),
];

/// Those of a request whose response the server keeps.
const ALWAYS_STORED: [(&str, &[u8]); 2] = [("store", b",\"store\":true"), ALWAYS[1]];

/// The body of a request.
///
/// # Errors
/// What the API has no field for.
pub(super) fn body(request: &ModelRequest, frame: Frame<'_>, out: &mut Body) -> Result<(), String> {
    let stored = stored(request, frame);
    check(request, frame, stored)?;
    frame.head.append(&request.instructions, out, |instructions, out| {
        out.extend_from_slice(b",\"instructions\":");
        write(out, instructions);
    });
    input(request, frame, out);
    append_tools(request, frame, out, functions);
    for (key, own) in [("reasoning", reasoning(request)), ("text", text(request))] {
        if let Some(value) = merged(own, key, request, frame) {
            field(out, key, &value);
        }
    }
    if let Some(Previous { id, .. }) = frame.previous {
        out.extend_from_slice(b",\"previous_response_id\":");
        write(out, id);
    }
    for (key, field) in if stored.is_some() { ALWAYS_STORED } else { ALWAYS } {
        if from_outside(key, request, frame).next().is_none() {
            out.extend_from_slice(field);
        }
    }
    let written = match stored {
        Some(Stored { continues: true, .. }) => MERGED_OR_FOUND,
        _ => MERGED,
    };
    fields_except(written, own_settings(request, frame), request, frame, out);
    if frame.asked == Streaming::Yes {
        out.extend_from_slice(b",\"stream\":true");
    }
    out.push(b'}');
    Ok(())
}

/// Refuses what the API has no field for.
fn check(request: &ModelRequest, frame: Frame<'_>, stored: Option<Stored>) -> Result<(), String> {
    let ModelSettings { stop, seed, thinking, .. } = &*request.settings;
    let refused = |what: &str, todo: &str| Err(format!("the API Responses has no {what}: {todo}"));
    if !stop.is_empty() {
        return refused("stop sequences", "remove `stop` from the settings, or use the API `chat`");
    }
    if seed.is_some() {
        return refused("seed", "remove `seed` from the settings, or use the API `chat`");
    }
    if thinking.as_ref().is_some_and(|level| level.as_str().parse::<u64>().is_ok()) {
        let todo = "set the thinking to off, minimal, low, medium or high";
        return refused("number of tokens to think with", todo);
    }
    if let Some(Stored { background, .. }) = stored
        && from_outside("store", request, frame).last() == Some(&Value::Bool(false))
    {
        let field = if background { BACKGROUND } else { PREVIOUS };
        return Err(format!(
            "`{field}` needs responses that the server keeps: remove `store`, or remove `{field}`"
        ));
    }
    if stored.is_some_and(|stored| stored.continues)
        && from_outside("conversation", request, frame).any(|value| !value.is_null())
    {
        let todo = format!("remove `conversation`, or remove `{PREVIOUS}`");
        return Err(format!("a request goes on from a conversation or from a response: {todo}"));
    }
    check_tools(request, frame)
}

/// An object of the settings, with the fields that it has from outside.
fn merged(
    own: Option<Map<String, Value>>,
    key: &str,
    request: &ModelRequest,
    frame: Frame<'_>,
) -> Option<Value> {
    let own = own.map(Value::Object);
    from_outside(key, request, frame).fold(own, |below, above| match (below, above) {
        (Some(Value::Object(mut below)), Value::Object(above)) => {
            below.extend(above.clone());
            Some(Value::Object(below))
        }
        (_, above) => Some(above.clone()),
    })
}

fn input(request: &ModelRequest, frame: Frame<'_>, out: &mut Body) {
    out.extend_from_slice(b",\"input\":[");
    let each = |said: &Arc<Message>, out: &mut Vec<u8>| {
        let start = out.len();
        append(said, frame.head, out);
        if out.len() > start {
            out.push(b',');
        }
    };
    match frame.previous {
        None => request.messages().append_encoded(&frame.head.encoding, out, each),
        Some(Previous { next, .. }) => {
            request.messages().iter_from(next).for_each(|said| each(said, out));
        }
    }
    if out.last() == Some(&b',') {
        out.pop();
    }
    out.push(b']');
}

/// Appends the items of a message, which are encoded once.
pub(super) fn append(said: &Message, head: &Head, out: &mut Vec<u8>) {
    let Head { encoding, provider, .. } = head;
    said.append_encoded(encoding, out, |said, out| message::append(said, provider, out));
}

fn has_tools(request: &ModelRequest, frame: Frame<'_>) -> bool {
    !request.tools.is_empty() || provider_tools(request, frame).next().is_some()
}

/// Functions, each with a comma behind it.
fn functions(specs: &ToolSpecs, out: &mut Vec<u8>) {
    let function = |spec: &Arc<ToolSpec>| {
        let (name, description) = (&*spec.name, &*spec.description);
        json!({"type": "function", "name": name, "description": description,
            "parameters": spec.parameters, "strict": false})
    };
    for spec in specs.iter() {
        write(out, &function(spec));
        out.push(b',');
    }
}

fn own_settings(
    request: &ModelRequest,
    frame: Frame<'_>,
) -> impl Iterator<Item = (&'static str, Value)> {
    let (settings, has_tools) = (&request.settings, has_tools(request, frame));
    let parallel = settings.parallel_calls.filter(|_| has_tools);
    let choice = tool_choice(&request.tool_choice).filter(|_| has_tools);
    let fields = [
        settings.top_p.map(|share| ("top_p", share.into())),
        settings.temperature.map(|warm| ("temperature", warm.into())),
        request.max_output.map(|most| ("max_output_tokens", most.into())),
        parallel.map(|parallel| ("parallel_tool_calls", parallel.into())),
        choice.map(|choice| ("tool_choice", choice)),
    ];
    fields.into_iter().flatten()
}

fn tool_choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Named(name) => Some(json!({"type": "function", "name": name})),
    }
}

/// The level in the words of this wire; a summary of the thinking is asked for, too.
fn reasoning(request: &ModelRequest) -> Option<Map<String, Value>> {
    let fields = match request.settings.thinking.as_ref()? {
        ThinkingLevel::Off => vec![("effort", "none")],
        level => vec![("effort", level.as_str()), ("summary", "auto")],
    };
    Some(fields.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect())
}

/// The format of the text that is asked for.
fn text(request: &ModelRequest) -> Option<Map<String, Value>> {
    let schema = request.response_format.as_deref()?;
    Some(Map::from_iter([("format".to_owned(), format(schema).into())]))
}

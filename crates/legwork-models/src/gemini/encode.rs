//! Requests: the bytes of messages and tools, encoded once, strung together.

use std::sync::Arc;

use legwork_core::inference::ModelRequest;
use legwork_core::message::{Message, Role};
use legwork_core::tool::{ToolSpec, ToolSpecs};
use serde_json::{Value, json};

use super::generation::Generation;
use crate::wire::{Body, Frame, Head, field, write};

mod config;
mod message;
mod thinking;

use message::To;

/// The fields of which those from outside are joined with ours.
const JOINED: [&str; 3] = ["generationConfig", "toolConfig", "tools"];

/// The body of a request.
///
/// # Errors
/// What the API cannot do.
pub(super) fn body(request: &ModelRequest, frame: Frame<'_>, out: &mut Body) -> Result<(), String> {
    let config = config::generation(request, frame)?;
    frame.head.append(&request.instructions, out, system);
    contents(request, frame, out);
    append_tools(request, frame, out);
    let tool_config = config::tools(request, frame);
    for (key, value) in [("toolConfig", tool_config), ("generationConfig", config)] {
        value.append(key, out);
    }
    let inner = &request.settings.extra;
    let outer = frame.extra.iter().filter(|(key, _)| !inner.contains_key(*key));
    for (key, value) in outer.chain(inner).filter(|(key, _)| !JOINED.contains(&key.as_str())) {
        field(out, key, value);
    }
    out.push(b'}');
    Ok(())
}

fn system(instructions: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"systemInstruction\":{\"parts\":[{\"text\":");
    write(out, instructions);
    out.extend_from_slice(b"}]},");
}

/// The messages; neighbours of one kind become one content.
///
/// Results of tools and what the user says next have one role, and still are two contents: some
/// models answer nothing where both are in one (issue 4210 of Pydantic AI).
fn contents(request: &ModelRequest, frame: Frame<'_>, out: &mut Body) {
    let Head { encoding, provider, .. } = frame.head;
    let to = To { provider, generation: Generation::of(frame.model) };
    out.extend_from_slice(b"\"contents\":[");
    if let Some(first) = request.messages().first() {
        open(first, out);
        let join = |last: &Arc<Message>, next: &Arc<Message>, out: &mut Vec<u8>| {
            if Content::of(last) == Content::of(next) {
                return out.push(b',');
            }
            out.extend_from_slice(b"]},");
            open(next, out);
        };
        request.messages().append_joined(encoding, out, join, |said, out| {
            said.append_encoded(encoding, out, |said, out| message::append(said, to, out));
        });
        out.extend_from_slice(b"]}");
    }
    out.push(b']');
}

fn open(message: &Message, out: &mut Vec<u8>) {
    out.extend_from_slice(match Content::of(message) {
        Content::Model => b"{\"role\":\"model\",\"parts\":[",
        Content::Tools | Content::User => b"{\"role\":\"user\",\"parts\":[",
    });
}

/// The kind of content that a message is part of.
#[derive(PartialEq)]
enum Content {
    Model,
    Tools,
    User,
}

impl Content {
    fn of(message: &Message) -> Self {
        match message.role {
            Role::Assistant => Self::Model,
            Role::Tool => Self::Tools,
            _ => Self::User,
        }
    }
}

/// The tools of the request, and behind them those of the provider that were given as a field.
fn append_tools(request: &ModelRequest, frame: Frame<'_>, out: &mut Vec<u8>) {
    let given = request.settings.extra.get("tools").or_else(|| frame.extra.get("tools"));
    let given = match given {
        Some(Value::Array(given)) => given,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    if request.tools.is_empty() && given.is_empty() {
        return;
    }
    out.extend_from_slice(b",\"tools\":[");
    if !request.tools.is_empty() {
        request.tools.append_encoded(&frame.head.encoding, out, declarations);
    }
    for (number, tool) in given.iter().enumerate() {
        if number > 0 || !request.tools.is_empty() {
            out.push(b',');
        }
        write(out, tool);
    }
    out.push(b']');
}

fn declarations(specs: &ToolSpecs, out: &mut Vec<u8>) {
    let declaration = |spec: &Arc<ToolSpec>| {
        json!({"name": *spec.name, "description": *spec.description,
               "parametersJsonSchema": spec.parameters})
    };
    let all: Vec<_> = specs.iter().map(declaration).collect();
    write(out, &json!({"functionDeclarations": all}));
}

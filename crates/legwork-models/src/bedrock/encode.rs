//! Requests: neighbouring messages of one side are one turn, blocks are encoded once.

use std::sync::Arc;

use legwork_core::inference::ModelRequest;
use legwork_core::message::{Message, Part};
use serde_json::{Value, json};

use super::id::ModelId;
use crate::wire::{Body, Frame, Head, Joined, field, is_any_object, joined, set, write};

mod media;
mod message;
mod thinking;
mod tools;

use message::To;

/// The fields of which those from outside are joined with ours.
const JOINED: [&str; 4] =
    ["additionalModelRequestFields", "inferenceConfig", "outputConfig", "toolConfig"];

/// Up to where the model keeps what it read for the next request.
const CACHE_POINT: &[u8] = b"{\"cachePoint\":{\"type\":\"default\"}}";

/// The body of a request.
///
/// # Errors
/// What the API cannot do.
pub(super) fn body(request: &ModelRequest, frame: Frame<'_>, out: &mut Body) -> Result<(), String> {
    let id = ModelId::of(frame.model);
    let settings = settings(request, frame, &id)?;
    let tools = tools::Tools::of(request, frame)?;
    frame.head.append(&request.instructions, out, |instructions, out| {
        system(instructions, &id, out);
    });
    messages(request, frame, &id, out);
    tools.append(&id, out);
    settings.iter().for_each(|(key, value)| value.append(key, out));
    let inner = &request.settings.extra;
    let outer = frame.extra.iter().filter(|(key, _)| !inner.contains_key(*key));
    for (key, value) in outer.chain(inner).filter(|(key, _)| !JOINED.contains(&key.as_str())) {
        field(out, key, value);
    }
    out.push(b'}');
    Ok(())
}

/// The instructions; a blank text is refused, so it is left out.
fn system(instructions: &str, id: &ModelId<'_>, out: &mut Vec<u8>) {
    if instructions.trim().is_empty() {
        return;
    }
    out.extend_from_slice(b"\"system\":[{\"text\":");
    write(out, instructions);
    out.push(b'}');
    if id.is_cached() {
        out.push(b',');
        out.extend_from_slice(CACHE_POINT);
    }
    out.extend_from_slice(b"],");
}

fn messages(request: &ModelRequest, frame: Frame<'_>, id: &ModelId<'_>, out: &mut Body) {
    let Head { encoding, provider, .. } = frame.head;
    let to = To { provider, id: *id };
    out.extend_from_slice(b"\"messages\":[");
    if let Some(first) = request.messages().first() {
        turn(first, out);
        let join = |last: &Arc<Message>, next: &Arc<Message>, out: &mut Vec<u8>| {
            if message::role(last) == message::role(next) {
                return out.push(b',');
            }
            out.extend_from_slice(b"]},");
            turn(next, out);
        };
        request.messages().append_joined(encoding, out, join, |said, out| {
            said.append_encoded(encoding, out, |said, out| message::append(said, to, out));
        });
        if id.is_cached() && request.messages().last().is_some_and(|last| takes_point(last)) {
            out.push(b',');
            out.extend_from_slice(CACHE_POINT);
        }
        out.extend_from_slice(b"]}");
    }
    out.push(b']');
}

/// Whether a cache point may follow a message: directly behind a document or a video it is
/// refused.
fn takes_point(message: &Message) -> bool {
    message::role(message) == "user" && !matches!(message.parts.last(), Some(Part::File(_)))
}

/// Begins the turn of a side.
fn turn(message: &Message, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"role\":\"");
    out.extend_from_slice(message::role(message).as_bytes());
    out.extend_from_slice(b"\",\"content\":[");
}

/// What the request asks for, and over it what is set from outside.
fn settings(
    request: &ModelRequest,
    frame: Frame<'_>,
    id: &ModelId<'_>,
) -> Result<[(&'static str, Joined); 3], String> {
    let settings = &request.settings;
    if settings.seed.is_some() {
        return Err("Bedrock Converse has no seed; take it out of the settings".to_owned());
    }
    if settings.parallel_calls == Some(false) && !request.tools.is_empty() {
        return Err(
            "Bedrock Converse cannot keep a model from several calls in one answer; leave \
                    `parallel_calls` unset"
                .to_owned(),
        );
    }
    if request.response_format.as_deref().is_some_and(is_any_object) {
        return Err(
            "Bedrock Converse has no JSON mode; give a schema with properties, or ask for a \
             fenced block of JSON"
                .to_owned(),
        );
    }
    let inference = [
        ("maxTokens", request.max_output.map(Value::from)),
        ("stopSequences", (!settings.stop.is_empty()).then(|| settings.stop.clone().into())),
        ("temperature", settings.temperature.map(Value::from)),
        ("topP", settings.top_p.map(Value::from)),
    ];
    let [inference_config, additional, output_config] =
        ["inferenceConfig", "additionalModelRequestFields", "outputConfig"];
    let thinking = thinking::fields(request, frame, id)?;
    Ok([
        (inference_config, joined(inference_config, set(inference), request, frame)),
        (additional, joined(additional, thinking, request, frame)),
        (output_config, joined(output_config, output(request), request, frame)),
    ])
}

/// The format of the answer, whose schema the API takes as text.
fn output(request: &ModelRequest) -> Option<(&'static str, Value)> {
    let schema = request.response_format.as_deref()?;
    let schema = json!({"name": "answer", "schema": schema.to_string()});
    let format = json!({"type": "json_schema", "structure": {"jsonSchema": schema}});
    Some(("textFormat", format))
}

//! Requests: neighbouring messages of one side are one turn, blocks are encoded once.

use legwork_core::inference::{ModelRequest, ToolChoice};
use legwork_core::tool::ToolSpecs;
use serde_json::{Value, json};

use crate::answer::Streaming;
use crate::wire::claude::Thinking;
use crate::wire::{
    Body, Frame, Head, append_tools, check_tools, fields_except, is_any_object, write,
};

mod message;

/// The longest answer that is asked for where nothing else is known.
const MAX_TOKENS: u64 = 8_192;

/// The body of a request.
pub(super) fn body(request: &ModelRequest, frame: Frame<'_>, out: &mut Body) -> Result<(), String> {
    check_tools(request, frame)?;
    let settings = own_settings(request, frame)?;
    frame.head.append(&request.instructions, out, |instructions, out| {
        out.extend_from_slice(b",\"system\":");
        write(out, instructions);
    });
    messages(request, frame.head, out);
    append_tools(request, frame, out, tools);
    fields_except(&["tools"], settings.into_iter().flatten(), request, frame, out);
    if frame.asked == Streaming::Yes {
        out.extend_from_slice(b",\"stream\":true");
    }
    out.push(b'}');
    Ok(())
}

fn messages(request: &ModelRequest, head: &Head, out: &mut Body) {
    let Head { encoding, provider, .. } = head;
    let Some(first) = request.messages().first() else {
        return out.extend_from_slice(b",\"messages\":[]");
    };
    out.extend_from_slice(b",\"messages\":[");
    turn(message::role(first), out);
    request.messages().append_joined(
        encoding,
        out,
        |last, next, out| match (message::role(last), message::role(next)) {
            (last, next) if last == next => out.push(b','),
            (_, next) => {
                out.extend_from_slice(b"]},");
                turn(next, out);
            }
        },
        |said, out| {
            said.append_encoded(encoding, out, |said, out| message::append(said, provider, out))
        },
    );
    out.extend_from_slice(b"]}]");
}

/// Begins the turn of a side.
fn turn(role: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"role\":\"");
    out.extend_from_slice(role.as_bytes());
    out.extend_from_slice(b"\",\"content\":[");
}

type Settings = [Option<(&'static str, Value)>; 9];

fn own_settings(request: &ModelRequest, frame: Frame<'_>) -> Result<Settings, String> {
    let settings = &request.settings;
    if settings.seed.is_some() {
        return Err("Anthropic has no seed; take it out of the settings".to_owned());
    }
    if request.response_format.as_deref().is_some_and(is_any_object) {
        return Err(
            "Anthropic has no JSON mode; give a schema with properties, or ask for a fenced \
                    block of JSON"
                .to_owned(),
        );
    }
    let most = request.max_output.or(frame.profile.max_output).unwrap_or(MAX_TOKENS);
    let thinking = Thinking::of(request, frame.model, most)?;
    let (choice, output) = (tool_choice(request), output(request, &thinking));
    Ok([
        Some(("max_tokens", most.into())),
        // The whole request up to its last block is kept for the next one.
        Some(("cache_control", json!({"type": "ephemeral"}))),
        settings.temperature.map(|warm| ("temperature", warm.into())),
        settings.top_p.map(|share| ("top_p", share.into())),
        (!settings.stop.is_empty()).then(|| ("stop_sequences", settings.stop.clone().into())),
        thinking.field().map(|thinking| ("thinking", thinking)),
        output.map(|output| ("output_config", output)),
        choice.map(|choice| ("tool_choice", choice)),
        None,
    ])
}

/// The effort, and the format of the answer.
fn output(request: &ModelRequest, thinking: &Thinking<'_>) -> Option<Value> {
    let mut config = serde_json::Map::new();
    if let Some(effort) = thinking.effort() {
        config.insert("effort".to_owned(), effort.into());
    }
    if let Some(schema) = request.response_format.as_deref() {
        let format = json!({"type": "json_schema", "schema": schema});
        config.insert("format".to_owned(), format);
    }
    (!config.is_empty()).then(|| config.into())
}

fn tool_choice(request: &ModelRequest) -> Option<Value> {
    if request.tools.is_empty() {
        return None;
    }
    let parallel = request.settings.parallel_calls;
    let mut choice = match &request.tool_choice {
        ToolChoice::Auto if parallel.is_none() => return None,
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::None => return Some(json!({"type": "none"})),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Named(name) => json!({"type": "tool", "name": name}),
    };
    if let (Some(parallel), Some(fields)) = (parallel, choice.as_object_mut()) {
        fields.insert("disable_parallel_tool_use".to_owned(), (!parallel).into());
    }
    Some(choice)
}

fn tools(specs: &ToolSpecs, out: &mut Vec<u8>) {
    for spec in specs.iter() {
        let tool = json!({
            "name": &*spec.name,
            "description": &*spec.description,
            "input_schema": spec.parameters,
        });
        write(out, &tool);
        out.push(b',');
    }
}

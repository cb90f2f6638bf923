//! Requests: the bytes of messages and tools, encoded once, strung together.

use legwork_core::inference::{ModelRequest, ThinkingLevel, ToolChoice};
use legwork_core::tool::ToolSpecs;
use serde_json::{Value, json};

use crate::answer::Streaming;
use crate::openai::format::format;
use crate::wire::{Body, Frame, ThinkingControl, append_tools, check_tools, fields_except, write};

mod message;

use message::To;

/// The body of a request.
///
/// # Errors
/// If the tools of the provider are no list.
pub(super) fn body(request: &ModelRequest, frame: Frame<'_>, out: &mut Body) -> Result<(), String> {
    check(request, frame)?;
    frame.head.append(&request.instructions, out, system);
    let encoding = &frame.head.encoding;
    let to = To { provider: &frame.head.provider, quirks: frame.quirks };
    request.messages().append_encoded(encoding, out, |said, out| {
        let start = out.len();
        said.append_encoded(encoding, out, |said, out| message::append(said, to, out));
        if out.len() > start {
            out.push(b',');
        }
    });
    if out.last() == Some(&b',') {
        out.pop();
    }
    out.push(b']');
    append_tools(request, frame, out, functions);
    let own = own_settings(request, frame).into_iter().flatten();
    fields_except(&["tools"], own, request, frame, out);
    if frame.asked == Streaming::Yes {
        out.extend_from_slice(b",\"stream\":true");
    }
    out.push(b'}');
    Ok(())
}

/// Refuses what the server has no field for.
fn check(request: &ModelRequest, frame: Frame<'_>) -> Result<(), String> {
    let tokens = request.settings.thinking.as_ref().and_then(tokens);
    if tokens.is_some_and(|tokens| tokens > 0) && frame.quirks.thinking == ThinkingControl::Switch {
        return Err(
            "the server takes no number of tokens to think with: set the thinking to off, or to a \
             level, which switches it on"
                .to_owned(),
        );
    }
    check_tools(request, frame)
}

fn system(instructions: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"role\":\"system\",\"content\":");
    write(out, instructions);
    out.extend_from_slice(b"},");
}

fn own_settings(request: &ModelRequest, frame: Frame<'_>) -> [Option<(&'static str, Value)>; 12] {
    let usage = frame.asked == Streaming::Yes && frame.quirks.stream_usage;
    let settings = &request.settings;
    let budget = settings.thinking.as_ref().and_then(budget);
    let budget = budget.filter(|_| frame.quirks.thinking == ThinkingControl::Budget);
    let cached = frame.quirks.prompt_cache.is_asked(frame.model);
    let parallel = settings.parallel_calls.filter(|_| !request.tools.is_empty());
    [
        settings.thinking.as_ref().map(|level| thinking(level, frame.quirks.thinking)),
        budget.map(|tokens| ("thinking_budget", tokens.into())),
        settings.top_p.map(|share| ("top_p", share.into())),
        settings.seed.map(|seed| (frame.quirks.seed.name(), seed.into())),
        (!settings.stop.is_empty()).then(|| ("stop", settings.stop.clone().into())),
        parallel.map(|parallel| ("parallel_tool_calls", parallel.into())),
        request.max_output.map(|most| (frame.quirks.max_tokens.name(), most.into())),
        settings.temperature.map(|warm| ("temperature", warm.into())),
        tool_choice(request).map(|choice| ("tool_choice", choice)),
        request
            .response_format
            .as_deref()
            .map(|schema| ("response_format", response_format(schema))),
        usage.then(|| ("stream_options", json!({"include_usage": true}))),
        cached.then(|| ("cache_control", json!({"type": "ephemeral"}))),
    ]
}

/// How much to think, in the words of a server.
fn thinking(level: &ThinkingLevel, control: ThinkingControl) -> (&'static str, Value) {
    let is_on = *level != ThinkingLevel::Off && tokens(level) != Some(0);
    match (control, tokens(level)) {
        (ThinkingControl::Effort, _) => ("reasoning_effort", effort(level).into()),
        (ThinkingControl::Reasoning, Some(tokens)) => ("reasoning", json!({"max_tokens": tokens})),
        (ThinkingControl::Reasoning, None) => ("reasoning", json!({"effort": effort(level)})),
        (ThinkingControl::Switch, _) => {
            ("thinking", json!({"type": if is_on { "enabled" } else { "disabled" }}))
        }
        (ThinkingControl::Budget, _) => ("enable_thinking", is_on.into()),
    }
}

/// The level as an effort; a number of tokens is the nearest one.
fn effort(level: &ThinkingLevel) -> &str {
    match (level, tokens(level)) {
        (ThinkingLevel::Off, _) => "none",
        (_, Some(0)) => "none",
        (_, Some(..=1_024)) => "minimal",
        (_, Some(..=4_096)) => "low",
        (_, Some(..=12_288)) => "medium",
        (_, Some(_)) => "high",
        (level, None) => level.as_str(),
    }
}

/// How many tokens a server that counts them may think with; none if it does not think.
fn budget(level: &ThinkingLevel) -> Option<u64> {
    match level {
        ThinkingLevel::Minimal => Some(1_024),
        ThinkingLevel::Low => Some(2_048),
        ThinkingLevel::Medium => Some(8_192),
        ThinkingLevel::High => Some(16_384),
        level => tokens(level).filter(|tokens| *tokens > 0),
    }
}

/// The number of tokens that a level is, if it is one.
fn tokens(level: &ThinkingLevel) -> Option<u64> {
    match level {
        ThinkingLevel::Other(tokens) => tokens.parse().ok(),
        _ => None,
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

/// The format, whose fields this API wants one level deeper.
fn response_format(schema: &Value) -> Value {
    let mut fields = format(schema);
    match fields.remove("type") {
        Some(kind) if fields.is_empty() => json!({"type": kind}),
        kind => json!({"type": kind, "json_schema": fields}),
    }
}

fn functions(specs: &ToolSpecs, out: &mut Vec<u8>) {
    for spec in specs.iter() {
        let (name, description) = (&*spec.name, &*spec.description);
        let function =
            json!({"name": name, "description": description, "parameters": spec.parameters});
        write(out, &json!({"type": "function", "function": function}));
        out.push(b',');
    }
}

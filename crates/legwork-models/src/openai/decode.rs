//! Chunks and bodies, read into an assembly.

use legwork_port::Deltas;
use serde_json::Value;

use super::assembly::Assembly;
use super::call::Piece;
use super::error::ApiError;
use super::json::{self, Read, Reader};
use super::remainder;

type Sink<'s> = &'s mut dyn Deltas;

/// Reads one chunk of a stream, or a whole body.
pub(super) fn read(
    json: &[u8],
    into: &mut Assembly,
    on: Sink<'_>,
) -> Result<(), serde_json::Error> {
    let text = std::str::from_utf8(json).map_err(|_| json::problem(json))?;
    let mut reader = Reader::new(text);
    let whole = top(&mut reader, into, on).and_then(|()| reader.end());
    whole.map_err(|_| json::problem(json))?;
    into.begun = true;
    Ok(())
}

fn top(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let mut place = json.object()?;
    while let Some(key) = json.key(&mut place)? {
        match &*key {
            "choices" => choices(json, into, on)?,
            "usage" => into.usage.read(json)?,
            "error" => error(into, &json.json()?),
            "x_groq" => groq(json, into)?,
            "object" | "obfuscation" => json.skip()?,
            "id" | "created" | "model" | "system_fingerprint" | "service_tier" | "provider"
                if into.begun =>
            {
                json.skip()?;
            }
            "id" => into.id = json.text()?.into_owned(),
            _ => remainder::merge(&mut into.top, &key, json.json()?),
        }
    }
    Ok(())
}

fn error(into: &mut Assembly, body: &Value) {
    if !body.is_null() {
        into.error = Some(ApiError::from_event(body));
    }
}

/// Groq tells usage and errors of a stream in a corner of its own.
fn groq(json: &mut Reader<'_>, into: &mut Assembly) -> Read {
    let mut place = json.object()?;
    while let Some(key) = json.key(&mut place)? {
        match &*key {
            "usage" => into.usage.read(json)?,
            "error" => error(into, &json.json()?),
            "id" => json.skip()?,
            _ => remainder::merge(&mut into.top, &key, json.json()?),
        }
    }
    Ok(())
}

/// The choices; only the first answer counts.
fn choices(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    into.recognised = true;
    let (mut place, mut first) = (json.array()?, true);
    while json.item(&mut place)? {
        let is_object = json.peek() == b'{';
        match first {
            true => choice(json, into, on)?,
            false => json.skip()?,
        }
        first = first && !is_object;
    }
    Ok(())
}

fn choice(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let (mut place, mut counts) = (json.object()?, true);
    while let Some(key) = json.key(&mut place)? {
        match &*key {
            _ if !counts => json.skip()?,
            "index" => counts = is_zero(&json.text()?),
            "delta" | "message" => message(json, into, on)?,
            "finish_reason" => into.finish_reason(&json.text()?),
            "error" => error(into, &json.json()?),
            _ => remainder::merge(&mut into.choice, &key, json.json()?),
        }
    }
    Ok(())
}

/// Whether an index is the first, or none.
fn is_zero(index: &str) -> bool {
    matches!(index, "0" | "") || index.parse() == Ok(0.0)
}

fn message(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    // Some providers tell the same thought under two names.
    let (mut place, mut thought) = (json.object()?, false);
    while let Some(key) = json.key(&mut place)? {
        match &*key {
            "role" => json.skip()?,
            "content" => content(json, into, on)?,
            "reasoning_content" | "reasoning" if thought => json.skip()?,
            "reasoning_content" | "reasoning" => {
                let text = json.text()?;
                thought = !text.is_empty();
                into.thinking(&text, on);
            }
            "refusal" => into.refusal(&json.text()?, on),
            "tool_calls" => calls(json, into, on)?,
            _ => remainder::merge(&mut into.message, &key, json.json()?),
        }
    }
    Ok(())
}

/// Content: text, an array of parts, or nothing.
fn content(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    if json.peek() == b'"' {
        into.text(&json.text()?, on);
        return Ok(());
    }
    let mut place = json.array()?;
    while json.item(&mut place)? {
        content_part(json.json()?, into, on);
    }
    Ok(())
}

fn content_part(part: Value, into: &mut Assembly, on: Sink<'_>) {
    match part.get("type").and_then(Value::as_str) {
        _ if part.is_string() => into.text(part.as_str().unwrap_or_default(), on),
        Some("text" | "output_text") => into.text(&text_in(part.get("text")), on),
        Some("refusal") => into.refusal(&text_in(part.get("refusal")), on),
        Some("thinking") => into.thinking(&text_in(part.get("thinking")), on),
        Some("reasoning") => into.thinking(&text_in(part.get("text")), on),
        _ => into.other(part),
    }
}

/// The text of a value: itself, or that of the parts in it.
fn text_in(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().map(|part| text_in(part.get("text"))).collect(),
        _ => String::new(),
    }
}

/// The calls of a delta or a message, each read whole before it is taken up.
fn calls(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let mut place = json.array()?;
    while json.item(&mut place)? {
        let piece = Piece::read(json)?;
        into.call(piece, on);
    }
    Ok(())
}

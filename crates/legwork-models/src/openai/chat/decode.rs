//! Chunks and bodies, read into an assembly.

use std::borrow::Cow;

use legwork_port::Deltas;
use serde_json::Value;

use crate::answer::ApiError;
use crate::answer::assembly::{Assembly, Form, Level, Words};
use crate::answer::call::Piece;
use crate::answer::json::{Read, Reader};

type Sink<'s> = &'s mut dyn Deltas;

/// Reads one chunk of a stream, or a whole body.
pub(super) fn read(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    top(json, into, on)?;
    if into.form == Form::Body {
        into.sort();
    }
    Ok(())
}

fn top(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "choices" => choices(json, into, on)?,
            "usage" => into.usage(json)?,
            "error" => error(into, &json.json()?),
            "x_groq" => groq(json, into)?,
            // When it was made, a journal knows by itself.
            "object" | "created" | "obfuscation" => json.skip()?,
            "id" | "model" | "system_fingerprint" | "service_tier" | "provider" if into.begun => {
                json.skip()?;
            }
            "id" => into.id(&json.text()?),
            _ => into.merge(Level::Top, &key, json.json()?),
        }
    }
    Ok(())
}

/// Reads what an answer used, and nothing else of it.
pub(super) fn read_usage(json: &mut Reader<'_>, into: &mut Assembly) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "usage" => into.usage(json)?,
            _ => json.skip()?,
        }
    }
    Ok(())
}

fn error(into: &mut Assembly, body: &Value) {
    if !body.is_null() {
        into.error = Some(ApiError::from_event(body));
    }
}

/// Groq sends the usage and the errors of a stream in an object of its own.
fn groq(json: &mut Reader<'_>, into: &mut Assembly) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "usage" => into.usage(json)?,
            "error" => error(into, &json.json()?),
            "id" => json.skip()?,
            _ => into.merge(Level::Top, &key, json.json()?),
        }
    }
    Ok(())
}

/// The choices; only the first answer counts.
fn choices(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    into.recognised = true;
    let (mut position, mut first) = (json.array()?, true);
    while json.item(&mut position)? {
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
    let (mut position, mut counts) = (json.object()?, true);
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            _ if !counts => json.skip()?,
            "index" => counts = is_zero(&json.text()?),
            "delta" | "message" => message(json, into, on)?,
            "finish_reason" => into.finish_reason(&json.text()?),
            "error" => error(into, &json.json()?),
            _ => into.merge(Level::Choice, &key, json.json()?),
        }
    }
    Ok(())
}

/// Whether an index is the first, or none.
fn is_zero(index: &str) -> bool {
    matches!(index, "0" | "") || index.parse() == Ok(0.0)
}

fn message(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    // Some providers send the same thought under two names.
    let (mut position, mut thought) = (json.object()?, false);
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "role" => json.skip()?,
            "content" => content(json, into, on)?,
            "reasoning_content" | "reasoning" if thought => json.skip()?,
            "reasoning_content" | "reasoning" => {
                let (text, written) = written(json)?;
                thought = !text.is_empty();
                into.words(Words::Thinking, &text, written, on);
            }
            "refusal" => {
                let (text, written) = written(json)?;
                into.words(Words::Refusal, &text, written, on);
            }
            "tool_calls" => calls(json, into, on)?,
            "reasoning_details" => into.attach_to_thinking(&key, json.json()?),
            _ => into.merge(Level::Message, &key, json.json()?),
        }
    }
    Ok(())
}

/// Text, and its length in the JSON source: a journal needs about as many bytes.
fn written<'a>(json: &mut Reader<'a>) -> Read<(Cow<'a, str>, usize)> {
    let begin = json.at();
    let text = json.text()?;
    Ok((text, json.at() - begin))
}

/// Content: text, an array of parts, or nothing.
fn content(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    if json.peek() == b'"' {
        let (text, written) = written(json)?;
        into.words(Words::Text, &text, written, on);
        return Ok(());
    }
    let mut position = json.array()?;
    while json.item(&mut position)? {
        let begin = json.at();
        let part = json.json()?;
        content_part(part, json.at() - begin, into, on);
    }
    Ok(())
}

fn content_part(part: Value, written: usize, into: &mut Assembly, on: Sink<'_>) {
    let (kind, words) = match part.get("type").and_then(Value::as_str) {
        _ if part.is_string() => (Words::Text, Some(&part)),
        Some("text" | "output_text") => (Words::Text, part.get("text")),
        Some("refusal") => (Words::Refusal, part.get("refusal")),
        Some("thinking") => (Words::Thinking, part.get("thinking")),
        Some("reasoning") => (Words::Thinking, part.get("text")),
        _ => return into.other(part),
    };
    into.words(kind, &text_in(words), written, on);
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
    let mut position = json.array()?;
    while json.item(&mut position)? {
        let piece = Piece::read(json)?;
        into.call(piece, on);
    }
    Ok(())
}

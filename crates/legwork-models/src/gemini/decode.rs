//! Chunks and bodies, read into an assembly.

use std::borrow::Cow;

use legwork_core::FinishReason;
use legwork_port::Deltas;
use serde_json::Value;

use crate::answer::ApiError;
use crate::answer::assembly::{Assembly, Form, Level};
use crate::answer::json::{Read, Reader};

mod arguments;
mod growing;
mod part;
mod path;

pub(crate) use growing::Growing;

type Sink<'s> = &'s mut dyn Deltas;

/// Reads one chunk of a stream, or a whole body.
pub(super) fn read(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "candidates" => candidates(json, into, on)?,
            "usageMetadata" => usage(json, into)?,
            "promptFeedback" => prompt_feedback(json.json()?, into),
            "error" => error(into, &json.json()?),
            "modelVersion" | "responseId" | "createTime" if into.begun => json.skip()?,
            "modelVersion" => into.merge(Level::Top, "model", json.json()?),
            "responseId" => into.id(&json.text()?),
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
            "usageMetadata" => usage(json, into)?,
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

/// The usage, which each chunk has.
///
/// Its counts fall where the model goes on after a tool of the provider, and some are missing. Those
/// of the last chunk are of the whole answer, and only their details are read.
fn usage(json: &mut Reader<'_>, into: &mut Assembly) -> Read {
    into.recognised = true;
    let is_last = into.form == Form::Body || into.has_finish();
    if is_last {
        into.restart_usage();
    }
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match is_last || key.ends_with("Count") {
            true => into.usage_field(&key, json)?,
            false => pass(json)?,
        }
    }
    Ok(())
}

/// Passes over a value without allocating memory for it.
fn pass(json: &mut Reader<'_>) -> Read {
    match json.peek() {
        b'{' => {
            let mut position = json.object()?;
            while json.key(&mut position)?.is_some() {
                pass(json)?;
            }
            Ok(())
        }
        b'[' => {
            let mut position = json.array()?;
            while json.item(&mut position)? {
                pass(json)?;
            }
            Ok(())
        }
        _ => json.skip(),
    }
}

/// What was said about the prompt; one that is blocked has no candidates.
fn prompt_feedback(feedback: Value, into: &mut Assembly) {
    into.recognised = true;
    if feedback.get("blockReason").is_some_and(Value::is_string) && !into.has_finish() {
        into.end_with(FinishReason::ContentFilter);
    }
    into.merge(Level::Top, "promptFeedback", feedback);
}

/// The candidates; only the first one counts.
fn candidates(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    into.recognised = true;
    let (mut position, mut first) = (json.array()?, true);
    while json.item(&mut position)? {
        match first {
            true => candidate(json, into, on)?,
            false => json.skip()?,
        }
        first = false;
    }
    Ok(())
}

fn candidate(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let (mut position, mut reason) = (json.object()?, Cow::Borrowed(""));
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "content" => content(json, into, on)?,
            "finishReason" => reason = json.text()?,
            "index" => json.skip()?,
            _ => into.merge(Level::Choice, &key, json.json()?),
        }
    }
    if !reason.is_empty() {
        let finish = finish_reason(&reason, into.has_calls());
        into.end_with(finish);
    }
    Ok(())
}

fn content(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "parts" => {
                let mut position = json.array()?;
                while json.item(&mut position)? {
                    part::read(json, into, on)?;
                }
            }
            "role" => json.skip()?,
            _ => into.merge(Level::Message, &key, json.json()?),
        }
    }
    Ok(())
}

/// The reason in our words; an answer that calls tools stops as any other.
fn finish_reason(text: &str, has_calls: bool) -> FinishReason {
    match text {
        "STOP" if has_calls => FinishReason::ToolCalls,
        "STOP" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY"
        | "RECITATION"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "MODEL_ARMOR"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => FinishReason::ContentFilter,
        other => FinishReason::from(other),
    }
}

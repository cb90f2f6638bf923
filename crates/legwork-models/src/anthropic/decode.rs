//! Events and bodies, read into an assembly.

use std::borrow::Cow;

use legwork_core::FinishReason;
use legwork_port::Deltas;
use serde_json::Value;

use crate::answer::ApiError;
use crate::answer::assembly::{Assembly, Form, Level, Words};
use crate::answer::call::Piece;
use crate::answer::json::{Read, Reader, is_nothing};

type Sink<'s> = &'s mut dyn Deltas;

/// Reads one event of a stream, or a whole body.
pub(super) fn read(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    into.cache_is_apart();
    if into.form == Form::Body {
        return message(json, into, on);
    }
    let (mut position, mut event) = (json.object()?, Event::default());
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "type" => event.kind = json.text()?,
            "index" => event.index = json.count()?.unwrap_or(0),
            "message" => message(json, into, on)?,
            "content_block" => event.block = Some(json.raw()?),
            "delta" => event.delta(json)?,
            "usage" => into.usage(json)?,
            "error" => error(into, &json.json()?),
            _ => json.skip()?,
        }
    }
    event.take(json, into, on)
}

/// Reads what an answer used, and nothing else of it.
pub(super) fn read_usage(json: &mut Reader<'_>, into: &mut Assembly) -> Read {
    into.cache_is_apart();
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "usage" => into.usage(json)?,
            "message" => read_usage(json, into)?,
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

/// An event, whose fields come in any order.
#[derive(Default)]
struct Event<'a> {
    kind: Cow<'a, str>,
    index: u64,
    block: Option<&'a str>,
    delta: Delta<'a>,
}

#[derive(Default)]
struct Delta<'a> {
    kind: Cow<'a, str>,
    /// Text, thinking, a signature or JSON, whichever it is.
    text: Cow<'a, str>,
    /// The length of the text in the JSON source.
    written: usize,
    citation: Option<Value>,
    stop_reason: Cow<'a, str>,
    rest: Vec<(String, Value)>,
}

impl<'a> Event<'a> {
    fn delta(&mut self, json: &mut Reader<'a>) -> Read {
        let (mut position, delta) = (json.object()?, &mut self.delta);
        while let Some(key) = json.key(&mut position)? {
            match &*key {
                "type" => delta.kind = json.text()?,
                "text" | "thinking" | "signature" | "partial_json" => {
                    let begin = json.at();
                    delta.text = json.text()?;
                    delta.written = json.at() - begin;
                }
                "citation" => delta.citation = Some(json.json()?),
                "stop_reason" => delta.stop_reason = json.text()?,
                _ => delta.rest.push((key.into_owned(), json.json()?)),
            }
        }
        Ok(())
    }

    /// Puts it into the assembly, once all of it is read.
    fn take(self, json: &mut Reader<'a>, into: &mut Assembly, on: Sink<'_>) -> Read {
        match &*self.kind {
            "content_block_delta" => self.delta.take(self.index, into, on),
            "content_block_start" => {
                if let Some(raw) = self.block {
                    json.within(raw, |json| block(json, self.index, into, on))?;
                }
            }
            "message_delta" => {
                into.recognised = true;
                finish(&self.delta.stop_reason, into);
                for (key, value) in self.delta.rest {
                    into.merge(Level::Top, &key, value);
                }
            }
            "message_stop" => into.done = true,
            _ => {}
        }
        Ok(())
    }
}

impl Delta<'_> {
    fn take(self, index: u64, into: &mut Assembly, on: Sink<'_>) {
        match &*self.kind {
            "text_delta" => into.words_at(index, Words::Text, &self.text, self.written, on),
            "thinking_delta" => into.words_at(index, Words::Thinking, &self.text, self.written, on),
            "signature_delta" => into.attach(Some(index), "signature", self.text.into()),
            "input_json_delta" if into.input_at(index, &self.text) => {}
            "input_json_delta" => {
                let piece = Piece::new(index, "", "");
                into.call(piece.with_arguments(self.text, self.written), on);
            }
            "citations_delta" => {
                let citations = self.citation.into_iter().collect();
                into.attach(Some(index), "citations", Value::Array(citations));
            }
            _ => {}
        }
        for (key, value) in self.rest {
            into.attach(Some(index), &key, value);
        }
    }
}

/// The message that an answer is.
fn message(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "type" => into.recognised |= json.text()? == "message",
            "role" => json.skip()?,
            "id" => into.id(&json.text()?),
            "content" => blocks(json, into, on)?,
            "stop_reason" => finish(&json.text()?, into),
            "usage" => into.usage(json)?,
            "error" => error(into, &json.json()?),
            _ => into.merge(Level::Top, &key, json.json()?),
        }
    }
    Ok(())
}

fn blocks(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let (mut position, mut index) = (json.array()?, 0);
    while json.item(&mut position)? {
        block(json, index, into, on)?;
        index += 1;
    }
    Ok(())
}

/// A block of content: whole in a body, begun in a stream.
fn block(json: &mut Reader<'_>, index: u64, into: &mut Assembly, on: Sink<'_>) -> Read {
    let kind = json.field("type")?;
    match &*kind {
        "text" => words(json, index, Words::Text, into, on),
        "thinking" => words(json, index, Words::Thinking, into, on),
        "redacted_thinking" => {
            into.open_words(index, Words::Thinking);
            let mut position = json.object()?;
            while let Some(key) = json.key(&mut position)? {
                match &*key {
                    "data" => into.attach(Some(index), "redacted", json.json()?),
                    _ => json.skip()?,
                }
            }
            Ok(())
        }
        "tool_use" => call(json, index, into, on),
        _ => {
            let value = json.json()?;
            into.other_at(index, value);
            Ok(())
        }
    }
}

fn words(
    json: &mut Reader<'_>,
    index: u64,
    kind: Words,
    into: &mut Assembly,
    on: Sink<'_>,
) -> Read {
    into.open_words(index, kind);
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "type" => json.skip()?,
            "text" | "thinking" => {
                let begin = json.at();
                let text = json.text()?;
                into.words_at(index, kind, &text, json.at() - begin, on);
            }
            _ => into.attach(Some(index), &key, json.json()?),
        }
    }
    Ok(())
}

fn call(json: &mut Reader<'_>, index: u64, into: &mut Assembly, on: Sink<'_>) -> Read {
    let (mut position, mut id, mut name) = (json.object()?, Cow::default(), Cow::default());
    let (mut input, mut rest) = ("", Vec::new());
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "type" => json.skip()?,
            "id" => id = json.text()?,
            "name" => name = json.text()?,
            "input" => input = json.raw()?,
            _ => rest.push((key, json.json()?)),
        }
    }
    // A stream begins with an empty object, and sends the input in pieces.
    let is_begun = into.form == Form::Chunks && is_nothing(input);
    let input = if is_begun { "" } else { input };
    let piece = Piece::new(index, id, name).with_arguments(input, input.len());
    let piece = rest.into_iter().fold(piece, |piece, (key, value)| piece.with_field(&key, value));
    into.call(piece, on);
    Ok(())
}

fn finish(reason: &str, into: &mut Assembly) {
    into.end_with(match reason {
        "" => return,
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "tool_use" => FinishReason::ToolCalls,
        "refusal" => FinishReason::ContentFilter,
        other => FinishReason::from(other),
    });
}

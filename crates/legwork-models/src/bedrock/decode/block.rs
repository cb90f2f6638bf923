//! One block of content: whole in a body, begun in a stream.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{Sink, written};
use crate::answer::assembly::{Assembly, Form, Words};
use crate::answer::call::Piece;
use crate::answer::json::{Read, Reader, is_nothing};

/// Reads a block: an object whose one field names its kind.
pub(super) fn read(json: &mut Reader<'_>, index: u64, into: &mut Assembly, on: Sink<'_>) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "text" => {
                into.open_words(index, Words::Text);
                let (text, written) = written(json)?;
                into.words_at(index, Words::Text, &text, written, on);
            }
            "reasoningContent" => thinking(json, index, into, on)?,
            "citationsContent" => cited(json, index, into, on)?,
            "toolUse" if matches!(&*json.field("type")?, "" | "tool_use") => {
                call(json, index, into, on)?;
            }
            _ => {
                let value = json.json()?;
                into.other_at(index, json!({ &*key: value }));
            }
        }
    }
    Ok(())
}

/// Thinking, with its text and signature one level deeper, or without both.
fn thinking(json: &mut Reader<'_>, index: u64, into: &mut Assembly, on: Sink<'_>) -> Read {
    into.open_words(index, Words::Thinking);
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "reasoningText" => super::thinking(json, index, into, on)?,
            "redactedContent" => into.attach(Some(index), "redacted", json.json()?),
            _ => into.attach(Some(index), &key, json.json()?),
        }
    }
    Ok(())
}

/// A text with the sources that it cites.
fn cited(json: &mut Reader<'_>, index: u64, into: &mut Assembly, on: Sink<'_>) -> Read {
    into.open_words(index, Words::Text);
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "content" => {
                let mut position = json.array()?;
                while json.item(&mut position)? {
                    let text = json.field("text")?;
                    json.skip()?;
                    into.words_at(index, Words::Text, &text, text.len(), on);
                }
            }
            _ => into.attach(Some(index), &key, json.json()?),
        }
    }
    Ok(())
}

fn call(json: &mut Reader<'_>, index: u64, into: &mut Assembly, on: Sink<'_>) -> Read {
    let (mut position, mut id, mut name) = (json.object()?, Cow::default(), Cow::default());
    let (mut input, mut rest) = ("", Vec::<(Cow<'_, str>, Value)>::new());
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "toolUseId" => id = json.text()?,
            "name" => name = json.text()?,
            "input" => input = json.raw()?,
            "type" => json.skip()?,
            _ => rest.push((key, json.json()?)),
        }
    }
    let is_empty = matches!(input, "" | "null" | "\"\"");
    let input = match into.form {
        // A stream sends the input in pieces.
        Form::Chunks if is_nothing(input) => "",
        Form::Body if is_empty => "{}",
        _ => input,
    };
    let piece = Piece::new(index, id, name).with_arguments(input, input.len());
    let piece = rest.into_iter().fold(piece, |piece, (key, value)| piece.with_field(&key, value));
    into.call(piece, on);
    Ok(())
}

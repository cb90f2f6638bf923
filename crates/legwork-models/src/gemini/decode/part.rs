//! One part of an answer.
//!
//! A signature belongs to the part that it came with, and goes back with that part alone: words
//! that follow a signed part are another part, and a signature with an empty text stays a part of
//! its own, as Google's guide to thought signatures asks for.

use std::borrow::Cow;

use legwork_port::Deltas;
use serde_json::{Map, Value};

use crate::answer::assembly::{Assembly, Words};
use crate::answer::call::Piece;
use crate::answer::json::{Read, Reader, is_nothing};

/// The field of a part that its provider wants back untouched.
const SIGNATURE: &str = "thoughtSignature";

/// The index of the signed words that are read; none of them is continued.
const SIGNED: u64 = 0;

/// What a part says.
#[derive(Default)]
struct Said<'a> {
    /// The text, and its length in the JSON source.
    text: Option<(Cow<'a, str>, usize)>,
    thought: bool,
    signature: Cow<'a, str>,
    call: Option<Call<'a>>,
    /// It has fields that are not known here.
    more: bool,
}

/// A call, which comes whole.
#[derive(Default)]
struct Call<'a> {
    id: Cow<'a, str>,
    name: Cow<'a, str>,
    arguments: &'a str,
    /// Fields that are not known here.
    rest: Map<String, Value>,
    /// Its arguments come in pieces.
    partial: bool,
}

/// Reads a part.
pub(super) fn read(json: &mut Reader<'_>, into: &mut Assembly, on: &mut dyn Deltas) -> Read {
    let begin = json.at();
    let said = Said::read(json)?;
    let is_other = match (&said.call, &said.text) {
        (Some(call), _) => call.partial,
        (None, Some(_)) => false,
        (None, None) => said.more,
    };
    let mut fields = Map::new();
    if said.more || is_other {
        json.rewind(begin);
        let whole = json.json()?;
        if is_other {
            into.other(whole);
            return Ok(());
        }
        if let Value::Object(all) = whole {
            let known = ["text", "thought", "functionCall", SIGNATURE];
            fields.extend(all.into_iter().filter(|(key, _)| !known.contains(&&**key)));
        }
    }
    if !said.signature.is_empty() {
        fields.insert(SIGNATURE.to_owned(), Value::from(&*said.signature));
    }
    match said.call {
        Some(call) => call.add(fields, into, on),
        None => {
            let kind = if said.thought { Words::Thinking } else { Words::Text };
            words(kind, said.text.unwrap_or_default(), fields, into, on);
        }
    }
    Ok(())
}

impl<'a> Said<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let (mut position, mut said) = (json.object()?, Self::default());
        while let Some(key) = json.key(&mut position)? {
            match &*key {
                "text" => {
                    let begin = json.at();
                    let text = json.text()?;
                    said.text = Some((text, json.at() - begin));
                }
                "thought" => {
                    said.thought = json.peek() == b't';
                    json.skip()?;
                }
                SIGNATURE => said.signature = json.text()?,
                "functionCall" => said.call = Some(Call::read(json)?),
                _ => {
                    said.more = true;
                    json.skip()?;
                }
            }
        }
        Ok(said)
    }
}

impl<'a> Call<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let (mut position, mut call) = (json.object()?, Self::default());
        while let Some(key) = json.key(&mut position)? {
            match &*key {
                "id" => call.id = json.text()?,
                "name" => call.name = json.text()?,
                "args" => call.arguments = json.raw()?,
                "partialArgs" | "willContinue" => {
                    let written = json.raw()?;
                    call.partial |= written != "false" && !is_nothing(written);
                }
                _ => drop(call.rest.insert(key.into_owned(), json.json()?)),
            }
        }
        Ok(call)
    }

    fn add(self, fields: Map<String, Value>, into: &mut Assembly, on: &mut dyn Deltas) {
        let arguments = match self.arguments {
            "" | "null" => "{}",
            written => written,
        };
        let piece = Piece::new(0, self.id, self.name).with_arguments(arguments, arguments.len());
        let piece = piece.with_field("functionCall", Value::Object(self.rest));
        let piece =
            fields.into_iter().fold(piece, |piece, (key, value)| piece.with_field(&key, value));
        into.whole_call(piece, on);
    }
}

/// Adds words: to the last ones, or with fields as a part of their own.
fn words(
    kind: Words,
    (text, written): (Cow<'_, str>, usize),
    fields: Map<String, Value>,
    into: &mut Assembly,
    on: &mut dyn Deltas,
) {
    if fields.is_empty() {
        return into.words(kind, &text, written, on);
    }
    into.open_words(SIGNED, kind);
    into.words_at(SIGNED, kind, &text, written, on);
    for (key, value) in fields {
        into.attach(Some(SIGNED), &key, value);
    }
    into.close();
}

//! One part of an answer.
//!
//! A signature belongs to the part that it came with, and goes back with that part alone: words
//! that follow a signed part are another part, and a signature with an empty text stays a part of
//! its own, as Google's guide to thought signatures asks for.

use std::borrow::Cow;

use legwork_port::Deltas;
use serde_json::{Map, Value};

use super::growing;
use crate::answer::assembly::{Assembly, Form, Words};
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

/// A call, or a piece of one.
#[derive(Default)]
pub(super) struct Call<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    /// The JSON of its arguments, where they come whole.
    pub(super) arguments: &'a str,
    /// The JSON of some of its arguments, where they come in pieces.
    pub(super) pieces: &'a str,
    /// Another piece follows.
    pub(super) continues: bool,
    /// Fields that are not known here.
    pub(super) rest: Map<String, Value>,
}

/// Reads a part.
pub(super) fn read(json: &mut Reader<'_>, into: &mut Assembly, on: &mut dyn Deltas) -> Read {
    let begin = json.at();
    let said = Said::read(json)?;
    let is_other = match (&said.call, &said.text) {
        // A body has whole calls only.
        (Some(call), _) => call.is_piece() && into.form == Form::Body,
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
        Some(call) if into.growing.takes(&call) => growing::add(call, fields, json, into, on)?,
        Some(call) => {
            growing::end(into, on);
            call.add(fields, into, on);
        }
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
                "partialArgs" => call.pieces = json.raw()?,
                "willContinue" => {
                    call.continues = json.peek() == b't';
                    json.skip()?;
                }
                _ => drop(call.rest.insert(key.into_owned(), json.json()?)),
            }
        }
        Ok(call)
    }

    /// Whether more or less than this is the whole call.
    pub(super) fn is_piece(&self) -> bool {
        self.continues || self.has_pieces()
    }

    /// Whether it has some of the arguments.
    pub(super) fn has_pieces(&self) -> bool {
        !self.pieces.is_empty() && !is_nothing(self.pieces)
    }

    /// Whether it has all of the arguments at once.
    pub(super) fn has_arguments(&self) -> bool {
        !self.arguments.is_empty() && !is_nothing(self.arguments)
    }

    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_piece()
            && self.id.is_empty()
            && self.name.is_empty()
            && !self.has_arguments()
            && self.rest.is_empty()
    }

    fn add(self, fields: Map<String, Value>, into: &mut Assembly, on: &mut dyn Deltas) {
        let arguments = match self.arguments {
            "" | "null" => "{}",
            written => written,
        };
        let piece = Piece::new(0, self.id, self.name).with_arguments(arguments, arguments.len());
        into.whole_call(growing::with_fields(piece, self.rest, fields), on);
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

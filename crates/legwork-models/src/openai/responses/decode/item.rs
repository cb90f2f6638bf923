//! Whole items, of which deltas may have brought a part before.

use std::borrow::Cow;

use legwork_core::message::JsonText;
use serde_json::{Map, Value};

use super::Sink;
use crate::answer::assembly::{Assembly, Words};
use crate::answer::call::Piece;
use crate::answer::json::{Read, Reader};

/// The first index of the texts of reasoning itself, behind those of its summary.
pub(super) const CONTENT: u64 = 1 << 19;

/// The index of a text in an item, under which it is assembled.
pub(super) fn place(output: u64, inner: u64) -> u64 {
    (output << 20) | (inner & 0xf_ffff)
}

/// Reads an item; once, for a stream may repeat it at its end.
pub(super) fn read(output: u64, json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    if !into.finish_index(output) {
        return json.skip();
    }
    json.peek();
    let begin = json.at();
    if let Some(call) = Call::read(json)? {
        return call.add(output, json, into, on);
    }
    json.rewind(begin);
    let item = json.json()?;
    let source = json.at() - begin;
    let Value::Object(fields) = item else {
        into.other_at(place(output, 0), item);
        return Ok(());
    };
    match kind(&fields) {
        "message" => message(output, fields, source, into, on),
        "reasoning" => reasoning(output, fields, into, on),
        _ => into.other_at(place(output, 0), Value::Object(fields)),
    }
    Ok(())
}

/// A whole text, and its length in the JSON source.
pub(super) struct Came<'a> {
    pub(super) text: &'a str,
    pub(super) written: usize,
}

impl Came<'_> {
    /// What is not known of it yet; nothing if what is known goes on differently.
    fn rest(&self, known: Option<&str>) -> (&str, usize) {
        match known {
            None | Some("") => (self.text, self.written),
            Some(known) => {
                let rest = self.text.strip_prefix(known).unwrap_or_default();
                (rest, rest.len())
            }
        }
    }

    pub(super) fn add_words(&self, at: u64, kind: Words, into: &mut Assembly, on: Sink<'_>) {
        let (rest, written) = self.rest(into.words_so_far(at));
        into.words_at(at, kind, rest, written, on);
    }

    /// Adds the rest of the arguments to a call that began.
    pub(super) fn add_arguments(&self, at: u64, into: &mut Assembly, on: Sink<'_>) {
        let Some(known) = into.arguments_so_far(at) else { return };
        let (rest, written) = self.rest(Some(known));
        into.call(Piece::new(at, "", "").with_arguments(rest, written), on);
    }
}

/// The type of an item or of a part of it.
fn kind(fields: &Map<String, Value>) -> &str {
    fields.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// Takes a text out of fields; another value as its JSON, null as nothing.
fn text(fields: &mut Map<String, Value>, key: &str) -> String {
    match fields.remove(key) {
        Some(Value::String(text)) => text,
        None | Some(Value::Null) => String::new(),
        Some(value) => value.to_string(),
    }
}

/// Takes a list out of fields; anything else is a list of itself.
fn list(fields: &mut Map<String, Value>, key: &str) -> Vec<Value> {
    match fields.remove(key) {
        Some(Value::Array(items)) => items,
        None | Some(Value::Null) => Vec::new(),
        Some(value) => vec![value],
    }
}

/// Drops a status that says nothing.
fn drop_completed(fields: &mut Map<String, Value>) {
    if fields.get("status").is_some_and(|status| status == "completed") {
        fields.remove("status");
    }
}

/// A message: each of its texts is a part that holds the fields of the message, too.
fn message(
    output: u64,
    mut fields: Map<String, Value>,
    source: usize,
    into: &mut Assembly,
    on: Sink<'_>,
) {
    let (id, content) = (text(&mut fields, "id"), list(&mut fields, "content"));
    fields.remove("role");
    drop_completed(&mut fields);
    let mut written = source;
    for (at, part) in (0..).map(|inner| place(output, inner)).zip(content) {
        let mut part = match part {
            Value::Object(part) => part,
            part => Map::from_iter([("text".to_owned(), part)]),
        };
        let (words, key) = match kind(&part) {
            "output_text" | "text" | "" => (Words::Text, "text"),
            "refusal" => (Words::Refusal, "refusal"),
            _ => {
                into.other_at(at, Value::Object(part));
                continue;
            }
        };
        let text = text(&mut part, key);
        Came { text: &text, written: std::mem::take(&mut written) }.add_words(at, words, into, on);
        if into.words_so_far(at).is_none() {
            // Even a message without words is an item that goes back.
            into.open_words(at, words);
        }
        part.remove("type");
        into.identify(Some(at), &id);
        let whole = fields.clone().into_iter();
        part.into_iter().chain(whole).for_each(|(key, value)| into.attach(Some(at), &key, value));
    }
}

/// Reasoning: each text is a part; the first holds the other fields of the item.
fn reasoning(output: u64, mut fields: Map<String, Value>, into: &mut Assembly, on: Sink<'_>) {
    let id = text(&mut fields, "id");
    let kind = fields.remove("type").unwrap_or_default();
    let (summary, content) = (list(&mut fields, "summary"), list(&mut fields, "content"));
    let places = |first: u64| (0..).map(move |inner| place(output, first | inner));
    let (summary, content) = (places(0).zip(summary), places(CONTENT).zip(content));
    let mut is_first = true;
    for (at, thought) in summary.chain(content) {
        let text = thought.get("text").or(Some(&thought)).and_then(Value::as_str);
        let text = text.unwrap_or_default();
        Came { text, written: 0 }.add_words(at, Words::Thinking, into, on);
        if into.words_so_far(at).is_none() {
            continue;
        }
        into.identify(Some(at), &id);
        into.attach(Some(at), "type", kind.clone());
        if at >= place(output, CONTENT) {
            into.attach(Some(at), "part", "reasoning_text".into());
        }
        if std::mem::take(&mut is_first) {
            attach_all(at, std::mem::take(&mut fields), into);
        }
    }
    if is_first {
        let at = place(output, 0);
        if into.words_so_far(at).is_none() {
            into.open_words(at, Words::Thinking);
        }
        into.identify(Some(at), &id);
        into.attach(Some(at), "type", kind);
        attach_all(at, fields, into);
    }
}

fn attach_all(at: u64, fields: Map<String, Value>, into: &mut Assembly) {
    fields.into_iter().for_each(|(key, value)| into.attach(Some(at), &key, value));
}

/// A call.
#[derive(Default)]
struct Call<'a> {
    id: Cow<'a, str>,
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
    /// Its own id; empty if it has none.
    own_id: Cow<'a, str>,
    /// What else came with it, as it is written.
    rest: Vec<(Cow<'a, str>, &'a str)>,
}

/// The type of calls.
const KIND: &str = "function_call";

impl<'a> Call<'a> {
    /// Reads an item; none if it is no call.
    fn read(json: &mut Reader<'a>) -> Read<Option<Self>> {
        let (mut position, mut call) = (json.object()?, Self::default());
        let mut is_call = false;
        while let Some(key) = json.key(&mut position)? {
            match &*key {
                "call_id" => call.id = json.text()?,
                "name" => call.name = json.text()?,
                "arguments" => call.arguments = json.text()?,
                "id" => call.own_id = json.text()?,
                "type" => is_call = json.text()? == KIND,
                _ => {
                    let value = json.raw()?;
                    if key != "status" || value != "\"completed\"" {
                        call.rest.push((key, value));
                    }
                }
            }
        }
        Ok(is_call.then_some(call))
    }

    fn add(self, output: u64, json: &mut Reader<'a>, into: &mut Assembly, on: Sink<'_>) -> Read {
        let at = place(output, 0);
        let written = self.arguments.len();
        let mut piece = match into.arguments_so_far(at) {
            None => Piece::new(at, self.id, self.name).with_arguments(self.arguments, written),
            Some(known) => {
                let came = Came { text: &self.arguments, written };
                let (rest, written) = came.rest(Some(known));
                Piece::new(at, "", self.name).with_arguments(rest.to_owned(), written)
            }
        };
        piece = piece.with_own(match &*self.own_id {
            "" => JsonText::object([("type", KIND)]),
            id => JsonText::object([("id", id), ("type", KIND)]),
        });
        for (key, value) in self.rest {
            piece = piece.with_field(&key, json.within(value, Reader::json)?);
        }
        into.call(piece, on);
        Ok(())
    }
}

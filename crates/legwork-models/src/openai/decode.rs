//! Chunks and bodies, read into an assembly.

use std::fmt;

use legwork_port::Deltas;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::de::{Read, SliceRead, StrRead};

use super::assembly::Assembly;
use super::call::Piece;
use super::error::ApiError;
use super::json::{Each, Fields, Loose, Object, scalars_are_nothing, skip};
use super::remainder;

/// Reads one chunk of a stream, or a whole body.
pub(super) fn read(
    json: &[u8],
    into: &mut Assembly,
    on: &mut dyn Deltas,
) -> Result<(), serde_json::Error> {
    match std::str::from_utf8(json) {
        Ok(text) => read_from(StrRead::new(text), into, on),
        // Fields that nobody reads may hold anything.
        Err(_) => read_from(SliceRead::new(json), into, on),
    }
}

fn read_from<'de>(
    json: impl Read<'de>,
    into: &mut Assembly,
    on: &mut dyn Deltas,
) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::new(json);
    let mut top = Top { into, on };
    Object(&mut top).deserialize(&mut reader)?;
    reader.end()?;
    into.begun = true;
    Ok(())
}

type Sink<'s> = &'s mut dyn Deltas;

struct Top<'s> {
    into: &'s mut Assembly,
    on: Sink<'s>,
}

impl<'de> Fields<'de> for Top<'_> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "choices" => {
                self.into.recognised = true;
                let mut choice = Choice { into: self.into, on: self.on, number: 0, first: true };
                map.next_value_seed(Each(&mut choice))?;
            }
            "usage" => map.next_value_seed(Object(&mut self.into.usage))?,
            "error" => error(self.into, map.next_value()?),
            "x_groq" => map.next_value_seed(Object(&mut Groq(self.into)))?,
            "object" | "obfuscation" => skip(map)?,
            "id" | "created" | "model" | "system_fingerprint" | "service_tier" | "provider"
                if self.into.begun =>
            {
                skip(map)?;
            }
            "id" => self.into.id = map.next_value::<Loose<'_>>()?.0.into_owned(),
            _ => remainder::merge(&mut self.into.top, key, map.next_value()?),
        }
        Ok(())
    }
}

fn error(into: &mut Assembly, body: Value) {
    if !body.is_null() {
        into.error = Some(ApiError::from_event(&body));
    }
}

/// Groq tells usage and errors of a stream in a corner of its own.
struct Groq<'s>(&'s mut Assembly);

impl<'de> Fields<'de> for Groq<'_> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "usage" => map.next_value_seed(Object(&mut self.0.usage)),
            "error" => {
                error(self.0, map.next_value()?);
                Ok(())
            }
            "id" => skip(map),
            _ => {
                remainder::merge(&mut self.0.top, key, map.next_value()?);
                Ok(())
            }
        }
    }
}

/// The choices; only the first answer counts.
struct Choice<'s> {
    into: &'s mut Assembly,
    on: Sink<'s>,
    number: usize,
    first: bool,
}

impl<'de> Fields<'de> for Choice<'_> {
    fn begin(&mut self) {
        self.first = self.number == 0;
        self.number += 1;
    }

    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            _ if !self.first => skip(map)?,
            "index" => self.first = matches!(&*map.next_value::<Loose<'_>>()?.0, "0" | ""),
            "delta" | "message" => {
                let mut message = MessageFields { into: self.into, on: self.on, thought: false };
                map.next_value_seed(Object(&mut message))?;
            }
            "finish_reason" => self.into.finish_reason(&map.next_value::<Loose<'_>>()?.0),
            "error" => error(self.into, map.next_value()?),
            _ => remainder::merge(&mut self.into.choice, key, map.next_value()?),
        }
        Ok(())
    }
}

struct MessageFields<'s> {
    into: &'s mut Assembly,
    on: Sink<'s>,
    /// Some providers tell the same thought under two names.
    thought: bool,
}

impl<'de> Fields<'de> for MessageFields<'_> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "role" => skip(map),
            "content" => map.next_value_seed(Content { into: self.into, on: self.on }),
            "reasoning_content" | "reasoning" if self.thought => skip(map),
            "reasoning_content" | "reasoning" => {
                let Loose(text) = map.next_value()?;
                self.thought = !text.is_empty();
                self.into.thinking(&text, self.on);
                Ok(())
            }
            "refusal" => {
                let Loose(text) = map.next_value()?;
                self.into.refusal(&text, self.on);
                Ok(())
            }
            "tool_calls" => map.next_value_seed(Calls { into: self.into, on: self.on }),
            _ => {
                remainder::merge(&mut self.into.message, key, map.next_value()?);
                Ok(())
            }
        }
    }
}

/// Content: text, an array of parts, or nothing.
struct Content<'s> {
    into: &'s mut Assembly,
    on: Sink<'s>,
}

impl<'de> DeserializeSeed<'de> for Content<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Content<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text or an array of parts")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.into.text(text, self.on);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(part) = seq.next_element::<Value>()? {
            content_part(part, self.into, self.on);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let part =
            serde::Deserialize::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
        content_part(part, self.into, self.on);
        Ok(())
    }

    scalars_are_nothing!();
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
struct Calls<'s> {
    into: &'s mut Assembly,
    on: Sink<'s>,
}

impl<'de> DeserializeSeed<'de> for Calls<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Calls<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of tool calls")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        loop {
            let mut piece = Piece::default();
            if seq.next_element_seed(Object(&mut piece))?.is_none() {
                return Ok(());
            }
            self.into.call(piece, self.on);
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let mut piece = Piece::default();
        Object(&mut piece).visit_map(map)?;
        self.into.call(piece, self.on);
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    scalars_are_nothing!();
}

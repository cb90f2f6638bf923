//! Decodes a line in one pass, if this version wrote it.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};

use super::{Entry, FORMAT};
use crate::event::Event;

/// Decodes a line whose fields are in the order in which this version writes them, so that the
/// type is known before the body. None for any other line, which may still be valid.
pub(super) fn read(line: &[u8]) -> Option<Entry> {
    let line = str::from_utf8(line).ok()?;
    let mut json = serde_json::Deserializer::from_str(line);
    let entry = json.deserialize_map(Line).ok()?;
    json.end().ok()?;
    Some(entry)
}

struct Line;

impl<'de> Visitor<'de> for Line {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an entry")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut line: A) -> Result<Entry, A::Error> {
        key(&mut line, "v")?;
        if line.next_value::<u32>()? != FORMAT {
            return Err(A::Error::custom("another format version"));
        }
        key(&mut line, "seq")?;
        let seq = line.next_value()?;
        key(&mut line, "parent")?;
        let parent = line.next_value()?;
        key(&mut line, "at")?;
        let at = line.next_value()?;
        key(&mut line, "type")?;
        let kind = line.next_value()?;
        key(&mut line, "body")?;
        let event = line.next_value_seed(Body(kind))?;
        match line.next_key::<&str>()? {
            None => Ok(Entry { seq, parent, at, event }),
            Some(_) => Err(A::Error::custom("one more field")),
        }
    }
}

fn key<'de, A: MapAccess<'de>>(line: &mut A, name: &str) -> Result<(), A::Error> {
    match line.next_key::<&str>()? {
        Some(key) if key == name => Ok(()),
        _ => Err(A::Error::custom("another field")),
    }
}

/// The body of an event of a type.
struct Body<'k>(&'k str);

impl<'de> DeserializeSeed<'de> for Body<'_> {
    type Value = Event;

    fn deserialize<D: Deserializer<'de>>(self, body: D) -> Result<Event, D::Error> {
        let unknown = || Err(D::Error::custom("a type that is not known"));
        Event::deserialize_body(self.0, body).unwrap_or_else(unknown)
    }
}

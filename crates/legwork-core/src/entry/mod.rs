//! Entries: the lines of a journal, format version 2.

mod quick;
mod renumbered;
#[cfg(feature = "schema")]
mod schema;

use std::borrow::Cow;

use serde::de::Error as _;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::event::{self, Event};
use crate::id::Seq;
use crate::nesting::{self, OWN_KEY};
use crate::time::Timestamp;

pub use renumbered::Renumbering;
#[cfg(feature = "schema")]
pub use schema::schema;

/// The format version that this code writes.
pub const FORMAT: u32 = 2;

/// The maximum nesting depth of the JSON of a line; parsers stop a little deeper.
pub const DEEPEST: usize = nesting::LINE;

/// An entry of a journal: number, parent, time and event.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its number in the session, which is its id.
    pub seq: Seq,
    /// The entry before it on its path; 0 = none.
    ///
    /// It differs from the number before only where the head was moved.
    pub parent: Seq,
    /// When it was made, in wall time.
    pub at: Timestamp,
    /// What happened.
    pub event: Event,
}

/// Why a line cannot be decoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The line is damaged: it was cut off, or is not a JSON object for another reason.
    #[error("the journal line is damaged: {0}")]
    Damaged(#[source] serde_json::Error),
    /// The line is a JSON object that this version cannot read.
    ///
    /// This is not damage: no store may delete it or append after it.
    #[error("this Legwork cannot read the journal line: {reason}; use a newer Legwork")]
    Unreadable {
        /// Its number; none if it is not where this version writes it.
        seq: Option<Seq>,
        /// Why it cannot be read.
        #[source]
        reason: Unreadable,
    },
}

/// Why an undamaged line cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// It has a newer format version.
    #[error("it has format version {found}, this Legwork reads up to {FORMAT}")]
    Newer {
        /// The version found.
        found: u32,
    },
    /// The body does not fit its type, for example because of an unknown enum value.
    #[error(transparent)]
    Body(#[from] event::Error),
    /// It lacks the fields of an entry.
    #[error("it is not an entry of format version {FORMAT}: {0}")]
    Shape(#[source] serde_json::Error),
}

impl Entry {
    /// Encodes it as one line of JSON, without the line break.
    ///
    /// # Errors
    /// If a value in it cannot be serialized, such as a map with keys that are not texts, or
    /// could not be read back: it is nested too deeply, or has the reserved key of `serde_json`.
    pub fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        let line = serde_json::to_vec(self)?;
        if nesting(&line) > DEEPEST {
            let problem = format!("it is nested deeper than {DEEPEST} levels");
            return Err(serde::ser::Error::custom(problem));
        }
        if has_own_key(&line) {
            let problem = format!("an object in it has the key `{OWN_KEY}` first");
            return Err(serde::ser::Error::custom(problem));
        }
        Ok(line)
    }

    /// Decodes a line of any format version up to [`FORMAT`].
    ///
    /// # Errors
    /// [`Error::Damaged`] if the line is not a JSON object, [`Error::Unreadable`] if it is an
    /// object, but not an entry that this version can read.
    pub fn decode(line: &[u8]) -> Result<Self, Error> {
        if let Some(entry) = quick::read(line) {
            return Ok(entry);
        }
        match serde_json::from_slice::<Raw<'_>>(line) {
            Ok(raw) => raw.into_entry(),
            Err(problem) => Err(no_entry(line, problem)),
        }
    }
}

/// Whether JSON cannot be part of an entry.
///
/// It cannot if it is nested too deeply, or has an object whose first key is
/// `$serde_json::private::RawValue`.
pub fn is_too_deep(json: &[u8]) -> bool {
    // The entry, its body and the values around it add some levels.
    nesting(json) > DEEPEST - 20 || has_own_key(json)
}

/// Whether an object in a line of JSON has the reserved key first.
///
/// Inside a text the quote before the key would be escaped.
fn has_own_key(line: &[u8]) -> bool {
    let opens = |rest: &[u8]| {
        let key = rest.strip_prefix(b"{\"").and_then(|rest| rest.strip_prefix(OWN_KEY.as_bytes()));
        key.is_some_and(|rest| rest.starts_with(b"\""))
    };
    line.iter().enumerate().any(|(at, byte)| *byte == b'{' && line.get(at..).is_some_and(opens))
}

/// The nesting depth of a line of JSON.
fn nesting(line: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The error for a line without the fields of an entry.
///
/// Every format version writes an entry as one JSON object with its version in `v`; the other
/// fields of a newer version may differ.
fn no_entry(line: &[u8], problem: serde_json::Error) -> Error {
    let is_object = |json: &&RawValue| json.get().starts_with('{');
    if !serde_json::from_slice(line).as_ref().is_ok_and(is_object) {
        return Error::Damaged(problem);
    }
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    #[derive(Deserialize)]
    struct Number {
        seq: Seq,
    }
    match serde_json::from_slice(line) {
        Ok(Version { v: found }) if found > FORMAT => newer(found),
        _ => {
            let number = serde_json::from_slice(line).ok();
            let seq = number.map(|Number { seq }| seq);
            Error::Unreadable { seq, reason: Unreadable::Shape(problem) }
        }
    }
}

/// The error for a newer version; what its `seq` means is not known.
fn newer(found: u32) -> Error {
    Error::Unreadable { seq: None, reason: Unreadable::Newer { found } }
}

#[derive(Deserialize)]
struct Raw<'a> {
    v: u32,
    seq: Seq,
    parent: Seq,
    at: Timestamp,
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    body: Box<RawValue>,
}

impl Raw<'_> {
    fn into_entry(self) -> Result<Entry, Error> {
        if self.v > FORMAT {
            return Err(newer(self.v));
        }
        // Version 2 only adds words and optional fields: nothing of version 1 is converted.
        let (kind, body) = (self.kind, self.body);
        let unreadable =
            |error| Error::Unreadable { seq: Some(self.seq), reason: Unreadable::Body(error) };
        let event = Event::decode(&kind, &body).map_err(unreadable)?;
        Ok(Entry { seq: self.seq, parent: self.parent, at: self.at, event })
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_struct("Entry", 6)?;
        line.serialize_field("v", &FORMAT)?;
        line.serialize_field("seq", &self.seq)?;
        line.serialize_field("parent", &self.parent)?;
        line.serialize_field("at", &self.at)?;
        line.serialize_field("type", self.event.kind())?;
        line.serialize_field("body", &self.event)?;
        line.end()
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Owned {
            v: u32,
            seq: Seq,
            parent: Seq,
            at: Timestamp,
            #[serde(rename = "type")]
            kind: String,
            body: Box<RawValue>,
        }
        let Owned { v, seq, parent, at, kind, body } = Owned::deserialize(deserializer)?;
        let raw = Raw { v, seq, parent, at, kind: Cow::Owned(kind), body };
        raw.into_entry().map_err(D::Error::custom)
    }
}

//! Reading JSON piece by piece, without building it.
//!
//! A provider's answer is read straight into what is assembled from it: no
//! intermediate structs, no copies of strings that are only appended, and no
//! error for a field that has another type than expected. Only what every
//! answer consists of is read here: objects and arrays of known shape, plain
//! strings, whole numbers. All else is `serde_json`'s, the words for what is
//! wrong with a text too.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::bounds::{Bounds, Passed};

mod room;
mod scan;

#[cfg(test)]
mod tests;

use room::Room;

/// The text is not JSON; [`problem`] says why.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken;

/// What is read, unless the text is broken.
pub(crate) type Read<T = ()> = Result<T, Broken>;

/// What is wrong with a text that could not be read.
pub(crate) fn problem(json: &[u8]) -> serde_json::Error {
    let read = match json.len() {
        0..=EXPLAINED => serde_json::from_slice::<Value>(json).map(drop),
        // A large text is not parsed again.
        _ => serde_json::from_slice::<IgnoredAny>(json).map(drop),
    };
    read.err().unwrap_or_else(|| serde::de::Error::custom("it cannot be read"))
}

/// Bytes of fields that are compared first.
const BEGINNING: usize = 8;

/// Bytes of the largest text that is parsed again for an error message.
const EXPLAINED: usize = 64 << 10;

/// A position in a JSON text; what was read before it is past.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    controls: Controls,
    room: Room,
}

/// Whether a text has control characters; in strings they are forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Controls {
    None,
    Some,
}

impl Controls {
    /// Whether a part of a string may have these bytes.
    #[inline]
    fn allow(self, bytes: &[u8]) -> bool {
        self == Self::None || bytes.iter().all(|byte| *byte >= b' ')
    }
}

/// The reader's position in an object or an array.
#[derive(Debug)]
pub(crate) enum Position {
    /// Before its first item.
    First,
    /// Behind an item.
    Later,
    /// Before one value, which is there instead of an array.
    Lone,
    /// Past it.
    Over,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str, bounds: &Bounds) -> Self {
        // One fast look at all spares each string a slow one at itself.
        let none = text.bytes().fold(true, |none, byte| none & (byte >= b' '));
        let controls = if none { Controls::None } else { Controls::Some };
        Self { text, at: 0, depth: 0, controls, room: Room::of(bounds) }
    }

    /// The bound that it exceeded.
    pub(crate) fn passed(&self) -> Option<Passed> {
        self.room.passed
    }

    /// Bytes that were read.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The first byte of what comes next; 0 at the end.
    pub(crate) fn peek(&mut self) -> u8 {
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return *byte;
            }
            self.at += 1;
        }
        0
    }

    /// Goes back to a place that was [read past](Self::at), at the same depth.
    pub(crate) fn rewind(&mut self, at: usize) {
        self.at = at;
    }

    /// Goes past these characters, if they come next and exactly so.
    #[cfg(feature = "bedrock")]
    #[inline]
    pub(crate) fn literal(&mut self, text: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let comes = rest.starts_with(text.as_bytes());
        self.at += if comes { text.len() } else { 0 };
        comes
    }

    /// Goes past these fields of an object, if they come next, exactly so and whole.
    #[inline]
    pub(crate) fn skip_fields(&mut self, fields: &str) -> bool {
        let (rest, fields) = (self.text.as_bytes().get(self.at..), fields.as_bytes());
        let rest = rest.unwrap_or_default();
        // Where other fields come, the first letters of their names mostly say so.
        if rest.first_chunk::<BEGINNING>() != fields.first_chunk() {
            return false;
        }
        let Some([b',' | b'}', ..]) = rest.strip_prefix(fields) else { return false };
        self.at += fields.len();
        true
    }

    /// A part of the text, as it is written.
    pub(crate) fn written(&self, begin: usize, end: usize) -> &'a str {
        self.text.get(begin..end).unwrap_or_default()
    }

    /// Whether objects and arrays may be nested so deeply below here.
    #[cfg(feature = "bedrock")]
    pub(crate) fn may_nest(&self, levels: usize) -> bool {
        self.depth + levels <= self.room.nesting
    }

    /// The text of the value that comes next, as it is written.
    pub(crate) fn raw(&mut self) -> Read<&'a str> {
        self.peek();
        let begin = self.at;
        self.skip()?;
        self.text.get(begin..self.at).ok_or(Broken)
    }

    /// The text of a field of the object that comes next, which is not read past; empty if it has
    /// no such field.
    pub(crate) fn field(&mut self, name: &str) -> Read<Cow<'a, str>> {
        let (at, depth) = (self.at, self.depth);
        let (mut position, mut found) = (self.object()?, Cow::Borrowed(""));
        while let Some(key) = self.key(&mut position)? {
            if *key == *name {
                found = self.text()?;
                break;
            }
            self.skip()?;
        }
        (self.at, self.depth) = (at, depth);
        Ok(found)
    }

    /// Reads a part of the same text that was [passed over](Self::raw).
    pub(crate) fn within<T>(
        &mut self,
        raw: &'a str,
        read: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<T> {
        let (text, at) = (std::mem::replace(&mut self.text, raw), std::mem::take(&mut self.at));
        let read = read(self);
        (self.text, self.at) = (text, at);
        read
    }

    /// Enters an object; anything else in its place is passed over and has no fields.
    pub(crate) fn object(&mut self) -> Read<Position> {
        match self.peek() {
            b'{' => self.enter(),
            _ => self.skip().map(|()| Position::Over),
        }
    }

    /// The name of the next field, whose value must be read then.
    pub(crate) fn key(&mut self, position: &mut Position) -> Read<Option<Cow<'a, str>>> {
        if let Some(key) = self.usual_key(position) {
            return Ok(Some(Cow::Borrowed(key)));
        }
        if !self.more(position, b'}')? {
            return Ok(None);
        }
        self.peek();
        let key = match self.plain_string() {
            Some(key) => Cow::Borrowed(key),
            None => self.string()?,
        };
        if self.peek() != b':' {
            return Err(Broken);
        }
        self.at += 1;
        Ok(Some(key))
    }

    /// The name of the next field, if it is short and no space is around it.
    #[inline]
    fn usual_key(&mut self, position: &mut Position) -> Option<&'a str> {
        let bytes = self.text.as_bytes().get(self.at..)?;
        let (before, name) = match (&*position, bytes) {
            (Position::Later, [b',', b'"', name @ ..]) => (2, name),
            (Position::First, [b'"', name @ ..]) => (1, name),
            _ => return None,
        };
        let length = scan::near(name)?;
        let [b'"', b':', ..] = name.get(length..)? else { return None };
        let begin = self.at + before;
        let key = self.text.get(begin..begin + length)?;
        if !self.controls.allow(key.as_bytes()) {
            return None;
        }
        self.at = begin + length + 2;
        *position = Position::Later;
        Some(key)
    }

    /// Enters an array; an object in its place is its one item, and a scalar is none.
    pub(crate) fn array(&mut self) -> Read<Position> {
        match self.peek() {
            b'[' => self.enter(),
            b'{' => Ok(Position::Lone),
            _ => self.skip().map(|()| Position::Over),
        }
    }

    /// Whether there is another item, which must be read then.
    pub(crate) fn item(&mut self, position: &mut Position) -> Read<bool> {
        self.more(position, b']')
    }

    fn enter(&mut self) -> Read<Position> {
        self.at += 1;
        self.depth += 1;
        self.room.enter(self.depth).map(|()| Position::First)
    }

    fn more(&mut self, position: &mut Position, end: u8) -> Read<bool> {
        let byte = match position {
            Position::Over => return Ok(false),
            Position::Lone => {
                *position = Position::Over;
                return Ok(true);
            }
            Position::First | Position::Later => self.peek(),
        };
        if byte == end {
            self.at += 1;
            self.depth -= 1;
            *position = Position::Over;
            return Ok(false);
        }
        match position {
            Position::First => *position = Position::Later,
            _ if byte == b',' => self.at += 1,
            _ => return Err(Broken),
        }
        Ok(true)
    }

    /// Text as it is; another value as its JSON, null as nothing.
    pub(crate) fn text(&mut self) -> Read<Cow<'a, str>> {
        match self.peek() {
            b'"' => self.string(),
            b'n' => self.skip().map(|()| Cow::Borrowed("")),
            _ => match self.digits() {
                Some(digits) => Ok(Cow::Borrowed(digits)),
                None => Ok(Cow::Owned(self.tree()?.to_string())),
            },
        }
    }

    /// A whole number that is not negative; anything else counts as none.
    pub(crate) fn count(&mut self) -> Read<Option<u64>> {
        self.peek();
        if let Some(number) = self.whole() {
            return Ok(Some(number));
        }
        let text = self.text()?;
        Ok(text.parse().ok().or_else(|| whole(text.parse().ok()?)))
    }

    /// A number; anything else counts as none.
    #[cfg(feature = "embeddings")]
    pub(crate) fn number(&mut self) -> Read<Option<f32>> {
        match self.peek() {
            b'-' | b'0'..=b'9' => Ok(self.raw()?.parse().ok()),
            _ => self.skip().map(|()| None),
        }
    }

    /// A value as it is.
    pub(crate) fn json(&mut self) -> Read<Value> {
        match self.peek() {
            b'{' | b'[' => self.tree(),
            b'"' => Ok(Value::String(self.string()?.into_owned())),
            _ => match self.whole() {
                Some(number) => Ok(number.into()),
                None => self.scalar(),
            },
        }
    }

    /// Passes over a value.
    pub(crate) fn skip(&mut self) -> Read {
        self.peek();
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        match scan::length(rest, self.controls) {
            Some(length) => {
                self.at += length;
                Ok(())
            }
            None => self.value::<IgnoredAny>().map(drop),
        }
    }

    /// Checks that nothing follows.
    pub(crate) fn end(&mut self) -> Read {
        if self.peek() == 0 && self.at == self.text.len() { Ok(()) } else { Err(Broken) }
    }

    fn string(&mut self) -> Read<Cow<'a, str>> {
        if let Some(text) = self.plain_string() {
            return Ok(Cow::Borrowed(text));
        }
        if self.peek() != b'"' {
            return Err(Broken);
        }
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        match scan::unescaped(rest, self.controls) {
            Some((text, length)) => {
                self.at += 1 + length;
                Ok(Cow::Owned(text))
            }
            None => self.value().map(Cow::Owned),
        }
    }

    /// The string that begins here, if it holds no escapes.
    #[inline]
    fn plain_string(&mut self) -> Option<&'a str> {
        let [b'"', bytes @ ..] = self.text.as_bytes().get(self.at..)? else { return None };
        let length = scan::special(bytes)?;
        if bytes.get(length) != Some(&b'"') || !self.controls.allow(bytes.get(..length)?) {
            return None;
        }
        let begin = self.at + 1;
        self.at = begin + length + 1;
        self.text.get(begin..begin + length)
    }

    /// The whole number that begins here, if it is a plain one.
    fn digits(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        let length = rest.bytes().position(|byte| !byte.is_ascii_digit())?;
        let plain = length == 1 || (length > 1 && !rest.starts_with('0'));
        let goes_on = matches!(rest.as_bytes().get(length), Some(b'.' | b'e' | b'E'));
        if !plain || goes_on {
            return None;
        }
        self.at += length;
        rest.get(..length)
    }

    fn value<T: Deserialize<'a>>(&mut self) -> Read<T> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter();
        let value = values.next().and_then(Result::ok).ok_or(Broken)?;
        self.at += values.byte_offset();
        Ok(value)
    }

    /// Any value, built within the bounds.
    fn tree(&mut self) -> Read<Value> {
        match self.peek() {
            b'{' => {
                self.room.build()?;
                let (mut position, mut fields) = (self.enter()?, Map::new());
                while let Some(key) = self.key(&mut position)? {
                    let value = self.tree()?;
                    fields.insert(key.into_owned(), value);
                }
                Ok(Value::Object(fields))
            }
            b'[' => {
                self.room.build()?;
                let (mut position, mut items) = (self.enter()?, Vec::new());
                while self.item(&mut position)? {
                    items.push(self.tree()?);
                }
                Ok(Value::Array(items))
            }
            b'"' => {
                self.room.build()?;
                Ok(Value::String(self.string()?.into_owned()))
            }
            _ => match self.whole() {
                Some(number) => self.room.build().map(|()| number.into()),
                None => self.scalar(),
            },
        }
    }

    /// The whole number that comes next, if it is a plain one.
    fn whole(&mut self) -> Option<u64> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let (mut number, mut length) = (0_u64, 0);
        let next = loop {
            match rest.get(length)? {
                digit @ b'0'..=b'9' => {
                    number = number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
                    length += 1;
                }
                other => break other,
            }
        };
        let plain = length == 1 || (length > 1 && rest.first() != Some(&b'0'));
        if !plain || matches!(next, b'.' | b'e' | b'E') {
            return None;
        }
        self.at += length;
        Some(number)
    }

    /// A value that holds no others, built within the bounds.
    fn scalar(&mut self) -> Read<Value> {
        self.room.build()?;
        match self.peek() {
            b'n' => self.skip().map(|()| Value::Null),
            b't' => self.skip().map(|()| Value::Bool(true)),
            b'f' => self.skip().map(|()| Value::Bool(false)),
            _ => self.value(),
        }
    }
}

/// Whether a value, as it is written, holds nothing: null, or an empty text, object or list.
pub(crate) fn is_nothing(written: &str) -> bool {
    let inside = |open, close| written.strip_prefix(open)?.strip_suffix(close);
    matches!(written, "null" | "\"\"")
        || inside('{', '}')
            .or_else(|| inside('[', ']'))
            .is_some_and(|inside| inside.trim_ascii().is_empty())
}

fn whole(number: f64) -> Option<u64> {
    let fits = number >= 0.0 && number.fract() == 0.0 && number < 1e15;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    fits.then_some(number as u64)
}

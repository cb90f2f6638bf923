//! Server-sent events, parsed incrementally as the WHATWG standard says.
//!
//! Bytes go in as they come off the wire, cut anywhere; items come out
//! borrowed. An event whose only data line lies whole in one chunk, as every
//! provider sends them, is lent from that chunk and never copied.
//!
//! ```
//! use legwork_models::sse::{Item, Parser};
//!
//! let mut parser = Parser::default();
//! let mut chunk: &[u8] = b": hello\ndata: 1\n\ndata: 2\n\n";
//! let mut seen = Vec::new();
//! while let Some(item) = parser.next(&mut chunk) {
//!     if let Item::Event(event) = item {
//!         seen.push(event.data().into_owned());
//!     }
//! }
//! assert_eq!(seen, ["1", "2"]);
//! ```

use std::borrow::Cow;
use std::time::Duration;

#[cfg(test)]
mod tests;

const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// An event, a comment or a field of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Item<'a> {
    /// An event with at least one data line, ended by a blank line.
    Event(Event<'a>),
    /// A line that began with a colon; servers send them to stay connected.
    Comment(Text<'a>),
    /// The server wants reconnections to wait this long.
    Retry(Duration),
    /// A `retry` field whose value is not a whole number; ignored.
    BadRetry(Text<'a>),
    /// A field that the standard does not know; ignored.
    UnknownField(Text<'a>),
}

/// Bytes of a stream, which are text unless the server is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'a>(&'a [u8]);

impl<'a> Text<'a> {
    /// The text; what is not UTF-8 is replaced by U+FFFD, as the standard says.
    pub fn text(self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.0)
    }

    /// The bytes as they came, not decoded.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }
}

/// An event, borrowed from the chunk or from the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    data: Text<'a>,
    name: Text<'a>,
    id: Option<Text<'a>>,
}

impl<'a> Event<'a> {
    /// The data lines joined by line feeds, invalid UTF-8 replaced.
    pub fn data(&self) -> Cow<'a, str> {
        self.data.text()
    }

    /// The data lines joined by line feeds, as bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.data.bytes()
    }

    /// The event's name; none means the standard's `message`.
    pub fn name(&self) -> Option<Cow<'a, str>> {
        (!self.name.0.is_empty()).then(|| self.name.text())
    }

    /// The id that this event set, if it set one.
    pub fn id(&self) -> Option<Cow<'a, str>> {
        self.id.map(Text::text)
    }
}

/// Parses a stream chunk by chunk; holds what is not complete yet.
#[derive(Debug, Default)]
pub struct Parser {
    /// How many bytes of a leading byte order mark were seen; 3 = past it.
    bom: usize,
    /// The last byte was CR: an LF that follows belongs to it.
    after_cr: bool,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    name: Vec<u8>,
    id: Vec<u8>,
    id_set: bool,
    /// What was lent by the last call and is to be forgotten by the next.
    lent: Lent,
}

#[derive(Debug, Default, Clone, Copy)]
enum Lent {
    #[default]
    Nothing,
    Line,
    Event,
}

/// Where a line lies.
#[derive(Clone, Copy)]
enum Line<'i> {
    Whole(&'i [u8]),
    Carried,
}

/// What a line means; offsets are where its value begins.
enum Meaning {
    Nothing,
    Blank,
    Data(usize),
    Comment(usize),
    Retry(Duration),
    BadRetry(usize),
    UnknownField,
}

impl Parser {
    /// The next item of `input`, which is moved past what was read.
    ///
    /// `None` means that all of `input` was taken up. An event that the stream
    /// does not end with a blank line never comes out; who wants it can feed
    /// the missing line ends.
    pub fn next<'p, 'i: 'p>(&'p mut self, input: &mut &'i [u8]) -> Option<Item<'p>> {
        self.forget_lent();
        self.skip_bom(input);
        while let Some(line) = self.next_line(input) {
            match self.read(line) {
                Meaning::Nothing => self.line.clear(),
                Meaning::Blank => {
                    self.lent = Lent::Event;
                    if self.has_data {
                        return Some(Item::Event(self.event(&self.data)));
                    }
                    self.forget_lent();
                }
                Meaning::Data(at) => {
                    let Line::Whole(bytes) = line else {
                        self.push_carried_data(at);
                        continue;
                    };
                    let value = tail(bytes, at);
                    if !self.has_data && self.take_line_end(input) {
                        self.lent = Lent::Event;
                        return Some(Item::Event(self.event(value)));
                    }
                    self.push_data(value);
                }
                Meaning::Comment(at) => return Some(Item::Comment(self.lend(line, at))),
                Meaning::Retry(after) => {
                    self.line.clear();
                    return Some(Item::Retry(after));
                }
                Meaning::BadRetry(at) => return Some(Item::BadRetry(self.lend(line, at))),
                Meaning::UnknownField => return Some(Item::UnknownField(self.lend(line, 0))),
            }
        }
        None
    }

    /// The id to send as `Last-Event-ID` when reconnecting; may be empty.
    pub fn last_event_id(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.id)
    }

    /// Bytes of the unfinished event that are buffered.
    pub fn held(&self) -> usize {
        self.line.len() + self.data.len() + self.name.len() + self.id.len()
    }

    fn event<'a>(&'a self, data: &'a [u8]) -> Event<'a> {
        Event {
            data: Text(data),
            name: Text(&self.name),
            id: self.id_set.then_some(Text(&self.id)),
        }
    }

    fn lend<'p, 'i: 'p>(&'p mut self, line: Line<'i>, at: usize) -> Text<'p> {
        match line {
            Line::Whole(bytes) => Text(tail(bytes, at)),
            Line::Carried => {
                self.lent = Lent::Line;
                Text(tail(&self.line, at))
            }
        }
    }

    fn forget_lent(&mut self) {
        match std::mem::take(&mut self.lent) {
            Lent::Nothing => {}
            Lent::Line => self.line.clear(),
            Lent::Event => {
                self.line.clear();
                self.data.clear();
                self.has_data = false;
                self.name.clear();
                self.id_set = false;
            }
        }
    }

    /// Drops one leading byte order mark, however it is cut.
    fn skip_bom(&mut self, input: &mut &[u8]) {
        while let Some(expected) = BOM.get(self.bom) {
            let Some(byte) = input.first() else { return };
            if byte == expected {
                self.bom += 1;
                advance(input, 1);
                continue;
            }
            self.line.extend(BOM.iter().take(self.bom));
            self.bom = BOM.len();
        }
    }

    fn next_line<'i>(&mut self, input: &mut &'i [u8]) -> Option<Line<'i>> {
        if self.after_cr && !input.is_empty() {
            self.after_cr = false;
            if input.first() == Some(&b'\n') {
                advance(input, 1);
            }
        }
        let Some(end) = memchr::memchr2(b'\n', b'\r', input) else {
            self.line.extend_from_slice(input);
            *input = &[];
            return None;
        };
        let (bytes, rest) = input.split_at(end);
        *input = rest;
        self.take_line_end(input);
        if self.line.is_empty() {
            return Some(Line::Whole(bytes));
        }
        self.line.extend_from_slice(bytes);
        Some(Line::Carried)
    }

    /// Takes CR, LF or CRLF off the front of `input`, if one is there.
    fn take_line_end(&mut self, input: &mut &[u8]) -> bool {
        match (input.first(), input.get(1)) {
            (Some(b'\n'), _) => advance(input, 1),
            (Some(b'\r'), Some(b'\n')) => advance(input, 2),
            (Some(b'\r'), next) => {
                self.after_cr = next.is_none();
                advance(input, 1);
            }
            _ => return false,
        }
        true
    }

    fn read(&mut self, line: Line<'_>) -> Meaning {
        match line {
            Line::Whole(bytes) => self.field(bytes),
            Line::Carried => {
                let carried = std::mem::take(&mut self.line);
                let meaning = self.field(&carried);
                self.line = carried;
                meaning
            }
        }
    }

    fn field(&mut self, line: &[u8]) -> Meaning {
        if line.starts_with(b"data:") {
            return Meaning::Data(value_start(line, 4));
        }
        if line.is_empty() {
            return Meaning::Blank;
        }
        let colon = memchr::memchr(b':', line).unwrap_or(line.len());
        let at = value_start(line, colon);
        let value = tail(line, at);
        match line.get(..colon).unwrap_or_default() {
            b"" => return Meaning::Comment(at),
            b"data" => return Meaning::Data(at),
            b"event" => replace(&mut self.name, value),
            b"id" if !value.contains(&0) => {
                replace(&mut self.id, value);
                self.id_set = true;
            }
            b"id" => {}
            b"retry" => return retry(value).map_or(Meaning::BadRetry(at), Meaning::Retry),
            _ => return Meaning::UnknownField,
        }
        Meaning::Nothing
    }

    fn push_data(&mut self, value: &[u8]) {
        if self.has_data {
            self.data.push(b'\n');
        }
        self.has_data = true;
        self.data.extend_from_slice(value);
    }

    fn push_carried_data(&mut self, at: usize) {
        let mut line = std::mem::take(&mut self.line);
        self.push_data(tail(&line, at));
        line.clear();
        self.line = line;
    }
}

/// Where the value begins: past the colon and one space, if they are there.
fn value_start(line: &[u8], colon: usize) -> usize {
    match line.get(colon + 1) {
        Some(b' ') => colon + 2,
        _ => line.len().min(colon + 1),
    }
}

fn tail(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..).unwrap_or_default()
}

fn advance(input: &mut &[u8], by: usize) {
    *input = tail(input, by);
}

fn replace(field: &mut Vec<u8>, value: &[u8]) {
    field.clear();
    field.extend_from_slice(value);
}

fn retry(value: &[u8]) -> Option<Duration> {
    if !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let millis = std::str::from_utf8(value).ok()?.parse().ok()?;
    Some(Duration::from_millis(millis))
}

//! A text whose closing quote has not arrived.

use std::sync::Arc;

use legwork_core::Vector;

use crate::partial::{Kind, Text};

/// The tail is sealed as a shared piece when it reaches this length, in bytes.
const PIECE: usize = 1024;

/// A text that is being read: what has arrived of it, and where it stands in an escape.
#[derive(Debug)]
pub(super) struct OpenText {
    /// The character that ends it.
    quote: char,
    position: Position,
    pieces: Vector<Arc<str>>,
    tail: String,
    /// The length of all pieces, in bytes.
    sealed: usize,
    escape: Escape,
    /// The first half of a surrogate pair, whose second half must follow.
    high: Option<u16>,
    /// A quote and the white space after it, while it may still belong to the text.
    closing: Option<String>,
}

/// Where a text stands, which says what can follow its closing quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// The first quote ends it, and what JSON does not allow is an error.
    Strict,
    /// A key: a quote that no colon follows belongs to the text.
    Key,
    /// A value in an array or object: so does one that no comma, bracket or text follows.
    Inside,
    /// The outermost value: the first quote ends it.
    Root,
}

#[derive(Debug, Clone, Copy)]
enum Escape {
    None,
    Begun,
    Unicode { digits: u8, value: u16 },
}

/// How far a text was read.
pub(super) enum Read {
    /// All of the piece belongs to it.
    All,
    /// It ended after this many bytes.
    Ended(usize),
}

/// What a quote is, by what follows it.
enum Closing {
    /// It ends the text.
    Ends,
    /// It belongs to the text, as does the white space after it: this many bytes of the piece.
    Inner(usize),
    /// Nothing but white space has followed yet.
    Unknown,
}

impl OpenText {
    pub(super) fn new(quote: char, position: Position) -> Self {
        Self {
            quote,
            position,
            pieces: Vector::new(),
            tail: String::new(),
            sealed: 0,
            escape: Escape::None,
            high: None,
            closing: None,
        }
    }

    /// What has arrived.
    pub(super) fn snapshot(&self) -> Text {
        Text::growing(self.pieces.clone(), &self.tail, self.sealed + self.tail.len())
    }

    /// The text, after its end was read.
    pub(super) fn into_whole(self) -> Arc<str> {
        if self.pieces.is_empty() {
            return self.tail.into();
        }
        let mut whole = String::with_capacity(self.sealed + self.tail.len());
        self.pieces.iter().for_each(|piece| whole.push_str(piece));
        whole.push_str(&self.tail);
        whole.into()
    }

    /// Whether the text may have ended: the last that came was a quote.
    pub(super) fn is_closing(&self) -> bool {
        self.closing.is_some()
    }

    /// Reads on; an error comes with its offset.
    pub(super) fn read(&mut self, piece: &str) -> Result<Read, (usize, Kind)> {
        let mut at = 0;
        while let Some(rest) = piece.get(at..).filter(|rest| !rest.is_empty()) {
            if self.closing.is_some() {
                match self.read_closing(rest) {
                    Closing::Ends => return Ok(Read::Ended(at)),
                    Closing::Unknown => return Ok(Read::All),
                    Closing::Inner(space) => at += space,
                }
                continue;
            }
            let plain = self.plain(rest);
            if let Some(text) = rest.get(..plain).filter(|text| !text.is_empty()) {
                self.lone_half().map_err(|kind| (at, kind))?;
                self.append(text);
                at += plain;
                continue;
            }
            let Some(next) = rest.chars().next() else { break };
            let ended = self.read_special(next).map_err(|kind| (at, kind))?;
            at += next.len_utf8();
            if ended {
                return Ok(Read::Ended(at));
            }
        }
        Ok(Read::All)
    }

    /// How many bytes at the start are text and nothing else.
    fn plain(&self, rest: &str) -> usize {
        if !matches!(self.escape, Escape::None) {
            return 0;
        }
        let lenient = self.is_lenient();
        let ends =
            |byte: u8| byte == b'\\' || char::from(byte) == self.quote || (byte < b' ' && !lenient);
        rest.bytes().position(ends).unwrap_or(rest.len())
    }

    /// Reads one character that is no plain text, and says whether it ends the text.
    fn read_special(&mut self, next: char) -> Result<bool, Kind> {
        match self.escape {
            Escape::None if next == '\\' => self.escape = Escape::Begun,
            Escape::None if next == self.quote => {
                self.lone_half()?;
                if matches!(self.position, Position::Strict | Position::Root) {
                    return Ok(true);
                }
                self.closing = Some(next.into());
            }
            Escape::None => return Err(Kind::Control(next)),
            Escape::Begun => self.begin_escape(next)?,
            Escape::Unicode { digits, value } => self.read_digit(next, digits, value)?,
        }
        Ok(false)
    }

    fn begin_escape(&mut self, next: char) -> Result<(), Kind> {
        if next == 'u' {
            self.escape = Escape::Unicode { digits: 0, value: 0 };
            return Ok(());
        }
        self.lone_half()?;
        self.escape = Escape::None;
        let meant = match next {
            '"' | '\\' | '/' => next,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            _ if !self.is_lenient() => return Err(Kind::Escape(next)),
            // A model that escapes too much means the mark; before a letter it means both.
            _ if next.is_ascii_punctuation() => next,
            _ => {
                self.append("\\");
                next
            }
        };
        self.append(meant.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn read_digit(&mut self, next: char, digits: u8, value: u16) -> Result<(), Kind> {
        let digit = next.to_digit(16).and_then(|digit| u16::try_from(digit).ok());
        let Some(digit) = digit else { return Err(Kind::Escape('u')) };
        let value = value << 4 | digit;
        if digits < 3 {
            self.escape = Escape::Unicode { digits: digits + 1, value };
            return Ok(());
        }
        self.escape = Escape::None;
        match (self.high.take(), value) {
            (Some(high), 0xDC00..=0xDFFF) => self.append_pair(high, value),
            (high, 0xD800..=0xDBFF) => {
                self.high = high;
                self.lone_half()?;
                self.high = Some(value);
            }
            (high, _) => {
                self.high = high;
                self.lone_half()?;
                self.append_unit(value)?;
            }
        }
        Ok(())
    }

    fn append_pair(&mut self, high: u16, low: u16) {
        let pair = char::decode_utf16([high, low]).filter_map(Result::ok);
        pair.for_each(|one| self.append(one.encode_utf8(&mut [0; 4])));
    }

    fn append_unit(&mut self, unit: u16) -> Result<(), Kind> {
        match char::from_u32(unit.into()) {
            Some(one) => self.append(one.encode_utf8(&mut [0; 4])),
            None if self.is_lenient() => self.append("\u{FFFD}"),
            None => return Err(Kind::Surrogate(unit)),
        }
        Ok(())
    }

    /// What happens to the first half of a pair whose second half does not follow.
    fn lone_half(&mut self) -> Result<(), Kind> {
        match self.high.take() {
            Some(high) if !self.is_lenient() => Err(Kind::Surrogate(high)),
            Some(_) => {
                self.append("\u{FFFD}");
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Whether the quote before ends the text.
    fn read_closing(&mut self, rest: &str) -> Closing {
        let trimmed = rest.trim_start();
        let space = rest.len() - trimmed.len();
        let Some(next) = trimmed.chars().next() else {
            self.closing.get_or_insert_default().push_str(rest);
            return Closing::Unknown;
        };
        let ends = match self.position {
            Position::Key => next == ':',
            _ => matches!(next, ',' | ']' | '}' | '"' | '/' | '#') || next == self.quote,
        };
        if ends {
            return Closing::Ends;
        }
        let mut inner = self.closing.take().unwrap_or_default();
        inner.push_str(rest.get(..space).unwrap_or_default());
        self.append(&inner);
        Closing::Inner(space)
    }

    fn append(&mut self, text: &str) {
        self.tail.push_str(text);
        if self.tail.len() >= PIECE {
            self.sealed += self.tail.len();
            self.pieces.push(std::mem::take(&mut self.tail).into());
        }
    }

    fn is_lenient(&self) -> bool {
        self.position != Position::Strict
    }
}

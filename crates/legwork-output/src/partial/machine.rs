//! The states of the parser, with a stack of its own.

use std::sync::Arc;

use legwork_core::Vector;

use crate::partial::open_text::{OpenText, Place, Read};
use crate::partial::parser::Mode;
use crate::partial::scalar;
use crate::partial::{Array, Error, Kind, Object, Value};

/// Reads a text character by character; holds what is open.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) mode: Mode,
    pub(super) max_depth: usize,
    /// How many bytes were read.
    pub(super) offset: usize,
    stack: Vec<Frame>,
    expect: Expect,
    token: Token,
    root: Option<Value>,
}

/// An array or object whose end has not arrived.
#[derive(Debug)]
enum Frame {
    Array(Vector<Value>),
    Object { entries: Vector<(Arc<str>, Value)>, key: Option<Arc<str>> },
}

/// What comes next, between tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    /// After a value: a comma, or the end of what it is in.
    Comma,
}

/// A token that may go on in the next piece.
#[derive(Debug)]
enum Token {
    None,
    Text(OpenText),
    Number(String),
    Word(String),
    /// A slash that begins a comment.
    Slash,
    LineComment,
    /// Whether the last character was a star.
    BlockComment(bool),
}

impl Machine {
    pub(super) fn new(mode: Mode, max_depth: usize) -> Self {
        Self {
            mode,
            max_depth,
            offset: 0,
            stack: Vec::new(),
            expect: Expect::Value,
            token: Token::None,
            root: None,
        }
    }

    pub(super) fn error(&self, kind: Kind) -> Error {
        Error { offset: self.offset, kind }
    }

    /// Whether the root is closed and all of it was read.
    pub(super) fn is_complete(&self) -> bool {
        self.root.is_some()
    }

    /// The value so far, made of what is open from the inside out.
    pub(super) fn snapshot(&self) -> Option<Value> {
        let is_key = matches!(self.expect, Expect::Key | Expect::KeyOrEnd);
        let open = match &self.token {
            Token::Text(text) if !is_key => Some(Value::Text(text.snapshot())),
            _ => self.root.clone(),
        };
        self.stack.iter().rev().fold(open, |inner, frame| Some(frame.snapshot(inner)))
    }

    pub(super) fn read(&mut self, piece: &str) -> Result<(), Error> {
        let mut rest = piece;
        while !rest.is_empty() {
            let used = self.step(rest).map_err(|(at, kind)| {
                self.offset += at;
                self.error(kind)
            })?;
            self.offset += used;
            rest = rest.get(used..).unwrap_or_default();
        }
        Ok(())
    }

    /// Reads the token that is open, or begins one, and says how many bytes it took.
    fn step(&mut self, rest: &str) -> Result<usize, (usize, Kind)> {
        let end = |is_inside: fn(char) -> bool| {
            rest.find(|c| !is_inside(c)).map_or((rest.len(), false), |at| (at, true))
        };
        let (used, ended) = match &mut self.token {
            Token::None => return self.between(rest),
            Token::Text(text) => match text.read(rest)? {
                Read::All => (rest.len(), false),
                Read::Ended(at) => (at, true),
            },
            Token::Number(number) => {
                let (at, ended) = end(scalar::is_of_number);
                number.push_str(rest.get(..at).unwrap_or_default());
                (at, ended)
            }
            Token::Word(_) if self.mode == Mode::Strict => return self.strict_word(rest),
            Token::Word(word) => {
                let (at, ended) = end(scalar::is_of_word);
                word.push_str(rest.get(..at).unwrap_or_default());
                (at, ended)
            }
            Token::Slash | Token::LineComment | Token::BlockComment(_) => {
                return self.comment(rest);
            }
        };
        if ended {
            self.end_token().map_err(|kind| (used, kind))?;
        }
        Ok(used)
    }

    /// Reads one character of a literal, and ends the literal with its last one.
    fn strict_word(&mut self, rest: &str) -> Result<usize, (usize, Kind)> {
        let Token::Word(word) = &mut self.token else { return Ok(0) };
        let Some(next) = rest.chars().next() else { return Ok(0) };
        word.push(next);
        if !scalar::can_be_literal(word) {
            return Err((0, Kind::Word(std::mem::take(word))));
        }
        if scalar::word(word, Mode::Strict).is_ok() {
            self.end_token().map_err(|kind| (0, kind))?;
        }
        Ok(next.len_utf8())
    }

    /// Reads on in a comment.
    fn comment(&mut self, rest: &str) -> Result<usize, (usize, Kind)> {
        let Some(next) = rest.chars().next() else { return Ok(0) };
        self.token = match (&self.token, next) {
            (Token::Slash, '/') => Token::LineComment,
            (Token::Slash, '*') => Token::BlockComment(false),
            (Token::Slash, _) => {
                return Err((0, Kind::Unexpected { found: '/', expected: "a comment or a value" }));
            }
            (Token::LineComment, '\n') | (Token::BlockComment(true), '/') => Token::None,
            (Token::LineComment, _) => Token::LineComment,
            (_, next) => Token::BlockComment(next == '*'),
        };
        Ok(next.len_utf8())
    }

    fn end_token(&mut self) -> Result<(), Kind> {
        match std::mem::replace(&mut self.token, Token::None) {
            Token::Text(text) if matches!(self.expect, Expect::Key | Expect::KeyOrEnd) => {
                self.take_key(text.into_whole());
            }
            Token::Text(text) => self.take(Value::Text(super::Text::whole(text.into_whole()))),
            Token::Number(number) => self.take(scalar::number(&number, self.mode)?),
            Token::Word(word) if matches!(self.expect, Expect::Key | Expect::KeyOrEnd) => {
                self.take_key(word.into());
            }
            Token::Word(word) => self.take(scalar::word(&word, self.mode)?),
            _ => {}
        }
        Ok(())
    }

    fn take_key(&mut self, name: Arc<str>) {
        if let Some(Frame::Object { key, .. }) = self.stack.last_mut() {
            *key = Some(name);
        }
        self.expect = Expect::Colon;
    }

    /// Takes a complete value into what is open.
    fn take(&mut self, value: Value) {
        self.expect = Expect::Comma;
        match self.stack.last_mut() {
            None => self.root = Some(value),
            Some(Frame::Array(items)) => items.push(value),
            Some(Frame::Object { entries, key }) => {
                if let Some(key) = key.take() {
                    entries.push((key, value));
                }
            }
        }
    }

    /// Reads white space, or the first character of a token.
    fn between(&mut self, rest: &str) -> Result<usize, (usize, Kind)> {
        let space = rest.find(|c| !self.is_space(c)).unwrap_or(rest.len());
        if space > 0 {
            return Ok(space);
        }
        let Some(next) = rest.chars().next() else { return Ok(0) };
        let read = match self.mode {
            Mode::Lenient if self.root.is_some() => return Ok(rest.len()),
            Mode::Lenient => self.lenient(next),
            Mode::Strict => self.structure(next),
        };
        read.map_err(|kind| (0, kind))?;
        Ok(next.len_utf8())
    }

    fn is_space(&self, c: char) -> bool {
        match self.mode {
            Mode::Strict => matches!(c, ' ' | '\t' | '\n' | '\r'),
            Mode::Lenient => c.is_whitespace() || c == '\u{FEFF}',
        }
    }

    /// One character between tokens, with what models write instead of JSON.
    fn lenient(&mut self, next: char) -> Result<(), Kind> {
        let in_object = matches!(self.stack.last(), Some(Frame::Object { .. }));
        let begins = |c: char| c.is_alphanumeric() || "\"'{[-+._$".contains(c);
        match (self.expect, next) {
            (_, '/') => self.token = Token::Slash,
            (_, '#') => self.token = Token::LineComment,
            (Expect::Value | Expect::ValueOrEnd, ',') if self.is_in_array() => {}
            (Expect::Key | Expect::KeyOrEnd, ',') => {}
            (Expect::Value, ']') if self.is_in_array() => self.close(),
            (Expect::Key, '}') => self.close(),
            (Expect::Key | Expect::KeyOrEnd, '\'') => self.begin_text('\'', Place::Key),
            (Expect::Key | Expect::KeyOrEnd, next) if scalar::is_of_word(next) => {
                self.token = Token::Word(next.into());
            }
            (Expect::Comma, next) if begins(next) => {
                self.expect = if in_object { Expect::Key } else { Expect::Value };
                return self.lenient(next);
            }
            (Expect::Value | Expect::ValueOrEnd, '\'') => self.begin_text('\'', Place::Inside),
            (Expect::Value | Expect::ValueOrEnd, '+' | '.') => {
                self.token = Token::Number(next.into());
            }
            _ => return self.structure(next),
        }
        Ok(())
    }

    /// One character between tokens, as JSON defines it.
    fn structure(&mut self, next: char) -> Result<(), Kind> {
        let in_array = self.is_in_array();
        match (self.expect, next) {
            (Expect::Value | Expect::ValueOrEnd, '"' | '{' | '[' | '-' | '0'..='9') => {
                return self.begin_value(next);
            }
            (Expect::Value | Expect::ValueOrEnd, next) if next.is_ascii_alphabetic() => {
                return self.begin_value(next);
            }
            (Expect::Key | Expect::KeyOrEnd, '"') => self.begin_text('"', Place::Key),
            (Expect::ValueOrEnd, ']') | (Expect::KeyOrEnd, '}') => self.close(),
            (Expect::Colon, ':') => self.expect = Expect::Value,
            (Expect::Comma, ',') if !self.stack.is_empty() => {
                self.expect = if in_array { Expect::Value } else { Expect::Key };
            }
            (Expect::Comma, ']') if in_array => self.close(),
            (Expect::Comma, '}') if !in_array && !self.stack.is_empty() => self.close(),
            _ => return Err(Kind::Unexpected { found: next, expected: self.expected() }),
        }
        Ok(())
    }

    fn begin_value(&mut self, next: char) -> Result<(), Kind> {
        match next {
            '"' => self.begin_text('"', Place::Inside),
            '{' => {
                self.open(Frame::Object { entries: Vector::new(), key: None })?;
                self.expect = Expect::KeyOrEnd;
            }
            '[' => {
                self.open(Frame::Array(Vector::new()))?;
                self.expect = Expect::ValueOrEnd;
            }
            next if scalar::is_of_number(next) && !next.is_ascii_alphabetic() => {
                self.token = Token::Number(next.into());
            }
            next if self.mode == Mode::Lenient
                || scalar::can_be_literal(next.encode_utf8(&mut [0; 4])) =>
            {
                self.token = Token::Word(next.into());
            }
            next => return Err(Kind::Unexpected { found: next, expected: self.expected() }),
        }
        Ok(())
    }

    fn begin_text(&mut self, quote: char, place: Place) {
        let place = match self.mode {
            Mode::Strict => Place::Strict,
            Mode::Lenient if self.stack.is_empty() => Place::Root,
            Mode::Lenient => place,
        };
        self.token = Token::Text(OpenText::new(quote, place));
    }

    fn open(&mut self, frame: Frame) -> Result<(), Kind> {
        if self.stack.len() >= self.max_depth {
            return Err(Kind::Depth(self.max_depth));
        }
        self.stack.push(frame);
        Ok(())
    }

    fn close(&mut self) {
        if let Some(frame) = self.stack.pop() {
            let value = frame.into_value();
            self.take(value);
        }
    }

    fn is_in_array(&self) -> bool {
        matches!(self.stack.last(), Some(Frame::Array(_)))
    }

    fn expected(&self) -> &'static str {
        match self.expect {
            Expect::Value => "a value",
            Expect::ValueOrEnd => "a value or `]`",
            Expect::Key => "a key in quotes",
            Expect::KeyOrEnd => "a key in quotes or `}`",
            Expect::Colon => "`:`",
            Expect::Comma if self.stack.is_empty() => "nothing after the value",
            Expect::Comma if self.is_in_array() => "`,` or `]`",
            Expect::Comma => "`,` or `}`",
        }
    }

    /// The value after the end of the text.
    pub(super) fn finish(mut self) -> Result<Value, Error> {
        let may_end = match &self.token {
            Token::Number(_) | Token::Word(_) => self.stack.is_empty(),
            Token::Text(text) => text.is_closing(),
            _ => false,
        };
        if may_end {
            self.end_token().map_err(|kind| self.error(kind))?;
        }
        match self.root.take() {
            Some(root) => Ok(root),
            None if self.mode == Mode::Lenient => {
                self.snapshot().ok_or_else(|| self.error(Kind::Empty))
            }
            None if self.stack.is_empty() && matches!(self.token, Token::None) => {
                Err(self.error(Kind::Empty))
            }
            None => Err(self.error(Kind::Unfinished)),
        }
    }
}

impl Frame {
    fn snapshot(&self, inner: Option<Value>) -> Value {
        match self {
            Self::Array(items) => {
                let mut items = items.clone();
                inner.into_iter().for_each(|inner| items.push(inner));
                Value::Array(Array::new(items, false))
            }
            Self::Object { entries, key } => {
                let mut entries = entries.clone();
                let entry = key.clone().zip(inner);
                entry.into_iter().for_each(|entry| entries.push(entry));
                Value::Object(Object::new(entries, false))
            }
        }
    }

    fn into_value(self) -> Value {
        match self {
            Self::Array(items) => Value::Array(Array::new(items, true)),
            Self::Object { entries, .. } => Value::Object(Object::new(entries, true)),
        }
    }
}

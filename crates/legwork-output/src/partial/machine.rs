//! The states of the parser, with a stack of its own.

use std::collections::HashSet;
use std::sync::Arc;

use crate::partial::frame::Frame;
use crate::partial::open_text::{OpenText, Read};
use crate::partial::parser::Syntax;
use crate::partial::scalar;
use crate::partial::{Error, Kind, Text, Value};

/// How many different keys are shared.
const KEYS: usize = 256;

/// Reads a text character by character; holds what is open.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) syntax: Syntax,
    pub(super) max_depth: usize,
    /// How many bytes were read.
    pub(super) offset: usize,
    pub(super) stack: Vec<Frame>,
    pub(super) expect: Expect,
    pub(super) token: Token,
    pub(super) root: Option<Value>,
    /// Keys that came before, shared by the objects that have them.
    keys: HashSet<Arc<str>>,
}

/// What comes next, between tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expect {
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
pub(super) enum Token {
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
    pub(super) fn new(syntax: Syntax, max_depth: usize) -> Self {
        Self {
            syntax,
            max_depth,
            offset: 0,
            stack: Vec::new(),
            expect: Expect::Value,
            token: Token::None,
            root: None,
            keys: HashSet::new(),
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
            Token::Word(_) if self.syntax == Syntax::Strict => return self.strict_word(rest),
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
        if scalar::word(word, Syntax::Strict).is_ok() {
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
            Token::Text(text) => self.take(Value::Text(Text::whole(text.into_whole()))),
            Token::Number(number) => self.take(scalar::number(&number, self.syntax)?),
            Token::Word(word) if matches!(self.expect, Expect::Key | Expect::KeyOrEnd) => {
                self.take_key(word.into());
            }
            Token::Word(word) => self.take(scalar::word(&word, self.syntax)?),
            _ => {}
        }
        Ok(())
    }

    fn take_key(&mut self, name: Arc<str>) {
        let name = match self.keys.get(&name) {
            Some(known) => Arc::clone(known),
            None if self.keys.len() < KEYS => {
                self.keys.insert(Arc::clone(&name));
                name
            }
            None => name,
        };
        if let Some(Frame::Object { key, .. }) = self.stack.last_mut() {
            *key = Some(name);
        }
        self.expect = Expect::Colon;
    }

    /// Takes a complete value into what is open.
    pub(super) fn take(&mut self, value: Value) {
        self.expect = Expect::Comma;
        match self.stack.last_mut() {
            None => self.root = Some(value),
            Some(frame) => frame.take(value),
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
            None if self.syntax == Syntax::Lenient => {
                self.snapshot().ok_or_else(|| self.error(Kind::Empty))
            }
            None if self.stack.is_empty() && matches!(self.token, Token::None) => {
                Err(self.error(Kind::Empty))
            }
            None => Err(self.error(Kind::Unfinished)),
        }
    }
}

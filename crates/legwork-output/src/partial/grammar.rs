//! What a character between two tokens means.

use legwork_core::Vector;

use crate::partial::frame::Frame;
use crate::partial::machine::{Expect, Machine, Token};
use crate::partial::open_text::{OpenText, Position};
use crate::partial::parser::Syntax;
use crate::partial::{Kind, scalar};

impl Machine {
    /// Reads white space, or the first character of a token.
    pub(super) fn between(&mut self, rest: &str) -> Result<usize, (usize, Kind)> {
        let space = rest.find(|c| !self.is_space(c)).unwrap_or(rest.len());
        if space > 0 {
            return Ok(space);
        }
        let Some(next) = rest.chars().next() else { return Ok(0) };
        let read = match self.syntax {
            Syntax::Lenient if self.root.is_some() => return Ok(rest.len()),
            Syntax::Lenient => self.lenient(next),
            Syntax::Strict => self.structure(next),
        };
        read.map_err(|kind| (0, kind))?;
        Ok(next.len_utf8())
    }

    fn is_space(&self, c: char) -> bool {
        match self.syntax {
            Syntax::Strict => matches!(c, ' ' | '\t' | '\n' | '\r'),
            Syntax::Lenient => c.is_whitespace() || c == '\u{FEFF}',
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
            (Expect::Key | Expect::KeyOrEnd, '\'') => self.begin_text('\'', Position::Key),
            (Expect::Key | Expect::KeyOrEnd, next) if scalar::is_of_word(next) => {
                self.token = Token::Word(next.into());
            }
            (Expect::Comma, next) if begins(next) => {
                self.expect = if in_object { Expect::Key } else { Expect::Value };
                return self.lenient(next);
            }
            (Expect::Value | Expect::ValueOrEnd, '\'') => self.begin_text('\'', Position::Inside),
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
            (Expect::Key | Expect::KeyOrEnd, '"') => self.begin_text('"', Position::Key),
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
            '"' => self.begin_text('"', Position::Inside),
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
            next if self.syntax == Syntax::Lenient
                || scalar::can_be_literal(next.encode_utf8(&mut [0; 4])) =>
            {
                self.token = Token::Word(next.into());
            }
            next => return Err(Kind::Unexpected { found: next, expected: self.expected() }),
        }
        Ok(())
    }

    fn begin_text(&mut self, quote: char, position: Position) {
        let position = match self.syntax {
            Syntax::Strict => Position::Strict,
            Syntax::Lenient if self.stack.is_empty() => Position::Root,
            Syntax::Lenient => position,
        };
        self.token = Token::Text(OpenText::new(quote, position));
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
}

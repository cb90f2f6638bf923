//! The parser: pieces in, values out.

use crate::partial::machine::Machine;
use crate::partial::{Error, Kind, Value};

/// The depth of nesting that a parser takes unless it is told otherwise, as `serde_json` does.
pub const MAX_DEPTH: usize = 127;

/// What a parser takes for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// RFC 8259 and nothing else.
    Strict,
    /// What models write for it, too.
    Lenient,
}

/// Parses a JSON text that arrives in pieces.
///
/// It reads each byte once, in time and memory linear in the text, without recursion. After an
/// error it stays failed; the value that was read before the error is kept.
#[derive(Debug)]
pub struct Parser {
    machine: Machine,
    /// The beginning of a character whose other bytes have not arrived.
    carried: Vec<u8>,
    failed: Option<Error>,
}

impl Parser {
    /// A parser for JSON as RFC 8259 defines it.
    pub fn strict() -> Self {
        Self::new(Syntax::Strict)
    }

    /// A parser that also takes what models write instead of JSON.
    ///
    /// That is: comments, single quotes, keys without quotes, missing and additional commas,
    /// control characters and quotes in texts that are not escaped, unknown escape sequences,
    /// the literals of Python and JavaScript, numbers such as `.5` and `+1`, and bytes that are
    /// not UTF-8. What follows the value is ignored. A text that ends before its value does is
    /// closed where it ends. A word without quotes is an error: it may be prose.
    pub fn lenient() -> Self {
        Self::new(Syntax::Lenient)
    }

    fn new(syntax: Syntax) -> Self {
        Self { machine: Machine::new(syntax, MAX_DEPTH), carried: Vec::new(), failed: None }
    }

    /// The same with another maximum depth; at most [`MAX_DEPTH`], because values of any depth
    /// could not be dropped safely.
    #[must_use]
    pub fn with_max_depth(mut self, depth: usize) -> Self {
        self.machine.max_depth = depth.min(MAX_DEPTH);
        self
    }

    /// Takes the next piece of the text, cut anywhere, also inside a character.
    ///
    /// # Errors
    /// If the text cannot be JSON, whatever follows; also when that is known already.
    pub fn push(&mut self, piece: impl AsRef<[u8]>) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let read = self.read(piece.as_ref());
        self.failed = read.as_ref().err().cloned();
        read
    }

    /// What has arrived so far; none before a value begins.
    ///
    /// It shares what is complete, so its cost does not depend on the length of the text, only
    /// on how deeply it is nested here.
    pub fn value(&self) -> Option<Value> {
        self.machine.snapshot()
    }

    /// Whether an array, an object or a text has arrived in full. A number is complete when the
    /// text ends.
    pub fn is_complete(&self) -> bool {
        self.machine.is_complete()
    }

    /// How many bytes were read; after an error, where it is.
    pub fn offset(&self) -> usize {
        self.failed.as_ref().map_or(self.machine.offset + self.carried.len(), |error| error.offset)
    }

    /// Ends the text and gives its value. Of a lenient parser it may be incomplete.
    ///
    /// # Errors
    /// What was wrong before; if there is no value; if the parser is strict and the value has
    /// not arrived in full.
    pub fn finish(mut self) -> Result<Value, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        match (self.carried.is_empty(), self.machine.syntax) {
            (true, _) => {}
            (false, Syntax::Strict) => return Err(self.machine.error(Kind::Encoding)),
            (false, Syntax::Lenient) => self.machine.read("\u{FFFD}")?,
        }
        self.machine.finish()
    }

    fn read(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        while !self.carried.is_empty() {
            let Some((first, rest)) = bytes.split_first() else { return Ok(()) };
            (bytes, self.carried) = (rest, [&*self.carried, &[*first]].concat());
            let carried = std::mem::take(&mut self.carried);
            self.read_bytes(&carried)?;
        }
        self.read_bytes(bytes)
    }

    /// Reads bytes that begin with a whole character, and carries what is cut at the end.
    fn read_bytes(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(text) => return self.machine.read(text),
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at_checked(error.valid_up_to()).unwrap_or_default();
            self.machine.read(std::str::from_utf8(valid).unwrap_or_default())?;
            match (error.error_len(), self.machine.syntax) {
                (None, _) => {
                    self.carried = rest.to_vec();
                    return Ok(());
                }
                (Some(_), Syntax::Strict) => return Err(self.machine.error(Kind::Encoding)),
                (Some(len), Syntax::Lenient) => {
                    self.machine.read("\u{FFFD}")?;
                    bytes = rest.get(len..).unwrap_or_default();
                }
            }
        }
    }
}

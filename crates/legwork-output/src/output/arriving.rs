//! The value in a text that is still arriving.

use crate::extract::Start;
use crate::partial::{Parser, Value};
use crate::schema::Wrapper;

/// Reads the value in a text that arrives in pieces; each piece costs what it adds.
///
/// Prose before the value is skipped, and what models write instead of JSON is read as
/// [`Parser::lenient`] reads it. What is shown here was not checked: the whole answer goes
/// through [`Output::read`](crate::Output::read).
#[derive(Debug)]
pub struct Arriving {
    /// The start, as it was before any piece.
    begin: Start,
    start: Start,
    parser: Parser,
    wrapper: Option<Wrapper>,
}

impl Arriving {
    /// A value that may be wrapped, read from its start.
    pub(super) fn new(start: Start, wrapper: Option<Wrapper>) -> Self {
        Self { start, begin: start, parser: Parser::lenient(), wrapper }
    }

    /// Takes the next piece of the text. What follows an error in it is ignored.
    pub fn push(&mut self, piece: &str) {
        // The whole text is read again when it is there; then errors are reported.
        let _ = self.parser.push(self.start.skip(piece));
    }

    /// What has arrived, without its wrapper; none before it begins.
    ///
    /// Its cost does not depend on how much has arrived. To see it as a type, deserialize it
    /// [on demand](Value::deserialize).
    pub fn value(&self) -> Option<Value> {
        let value = self.parser.value()?;
        match (self.wrapper, &value) {
            (Some(wrapper), Value::Object(object)) => object.get(wrapper.key()).cloned(),
            _ => Some(value),
        }
    }

    /// Forgets what has arrived: the text begins anew.
    pub fn restart(&mut self) {
        *self = Self::new(self.begin, self.wrapper);
    }

    /// Whether the value has arrived in full.
    pub fn is_complete(&self) -> bool {
        self.parser.is_complete()
    }
}

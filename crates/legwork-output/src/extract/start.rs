//! Where JSON begins in a text that is still arriving.

/// Skips the prose before the first bracket of a text that arrives in pieces.
///
/// ```
/// use legwork_output::extract::Start;
///
/// let mut start = Start::default();
/// assert_eq!(start.skip("Sure! "), "");
/// assert_eq!(start.skip("Here: {\"a\""), "{\"a\"");
/// assert_eq!(start.skip(": [1]}"), ": [1]}");
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Start {
    found: bool,
    /// Whether the value is an object, so that brackets of arrays are prose.
    is_object: bool,
}

impl Start {
    /// The start of an object: a `[` before it is prose.
    pub fn of_object() -> Self {
        Self { found: false, is_object: true }
    }

    /// Whether a character begins the value.
    fn begins(self, c: char) -> bool {
        c == '{' || (c == '[' && !self.is_object)
    }

    /// The part of the next piece that belongs to JSON; empty before a bracket came.
    pub fn skip<'p>(&mut self, piece: &'p str) -> &'p str {
        let from = match self.found {
            true => Some(0),
            false => piece.find(|c| self.begins(c)),
        };
        self.found = from.is_some();
        from.and_then(|from| piece.get(from..)).unwrap_or_default()
    }
}

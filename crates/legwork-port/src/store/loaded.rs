//! What is read of a journal.

use std::fmt;

use legwork_core::inbox::Cursor;
use legwork_core::journal::Journal;
use legwork_core::{Seq, SessionId};

use super::error::Error;
use super::range::Range;

/// A session's journal, or the range of it that was asked for, as it was read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Loaded {
    /// The entries of the range, up to the last that is whole and can be read.
    ///
    /// Of a part, what is folded over a whole journal (its head, a path) is not to be asked
    /// for: the entries are.
    pub journal: Journal,
    /// What was damaged and left out, in words. The next append takes its place. A read that
    /// its limit ended before the damage does not tell it.
    pub damage: Option<String>,
    /// Where the journal goes on with what this version cannot read. It must not be written.
    /// A read that its limit ended before that does not tell it.
    pub unreadable: Option<Unreadable>,
    /// The last item in the session's inbox.
    pub inbox: Cursor,
    /// The range of what follows; none if the read came to the end of what can be read.
    pub next: Option<Range>,
}

impl Loaded {
    /// A journal that was read to its end, undamaged.
    pub fn new(journal: Journal, inbox: Cursor) -> Self {
        Self { journal, inbox, ..Self::default() }
    }

    /// The same, if the session may be written.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when there is an entry that this version cannot read.
    pub fn writable(self, session: &SessionId) -> Result<Self, Error> {
        match self.unreadable {
            None => Ok(self),
            Some(unreadable) => Err(unreadable.refuses(session)),
        }
    }
}

/// The first entry of a journal that is whole, but which this version cannot read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Its number.
    pub entry: Seq,
    /// What of it cannot be read.
    pub reason: String,
}

impl Unreadable {
    /// The error of whoever wants to write the session.
    pub fn refuses(self, session: &SessionId) -> Error {
        let Self { entry, reason } = self;
        Error::Unreadable { session: session.clone(), entry, reason }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entry, reason } = self;
        write!(
            f,
            "this Legwork cannot read entry {entry} and what follows it: {reason}; \
             use a newer Legwork"
        )
    }
}

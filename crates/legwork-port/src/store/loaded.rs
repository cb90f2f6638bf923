//! A journal as it was read.

use std::fmt;

use legwork_core::inbox::Cursor;
use legwork_core::journal::Journal;
use legwork_core::{Seq, SessionId};

use super::error::Error;
use super::range::Range;

/// A session's journal, or a range of it, as it was read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Loaded {
    /// The entries of the range, up to the first that is damaged or cannot be read.
    ///
    /// If it is not the whole journal, use only its entries: folds over it, such as its head or
    /// a path, are wrong.
    pub journal: Journal,
    /// A description of a damaged tail, which was left out; the next append replaces it.
    ///
    /// None also if the limit of the range ended the read before it.
    pub damage: Option<String>,
    /// The first entry that this version cannot read; the journal must not be written.
    ///
    /// None also if the limit of the range ended the read before it.
    pub unreadable: Option<Unreadable>,
    /// The last item in the session's inbox.
    pub inbox: Cursor,
    /// The range that follows; none if nothing more can be read.
    pub next: Option<Range>,
}

impl Loaded {
    /// An undamaged journal that was read to its end.
    pub fn new(journal: Journal, inbox: Cursor) -> Self {
        Self { journal, inbox, ..Self::default() }
    }

    /// Checks that the session may be written.
    ///
    /// # Errors
    /// [`Error::Unreadable`] if there is an entry that this version cannot read.
    pub fn writable(self, session: &SessionId) -> Result<Self, Error> {
        match self.unreadable {
            None => Ok(self),
            Some(unreadable) => Err(unreadable.refuses(session)),
        }
    }
}

/// The first entry of a journal that is undamaged, but that this version cannot read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The number of the entry.
    pub entry: Seq,
    /// Why it cannot be read.
    pub reason: String,
}

impl Unreadable {
    /// The error for an attempt to write the session.
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

//! A session in a listing.

use legwork_core::{SessionId, Summary, Timestamp};

/// A session in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionInfo {
    /// The id of the session.
    pub session: SessionId,
    /// When its first entry was made.
    pub created_at: Timestamp,
    /// When its last entry was made.
    pub updated_at: Timestamp,
    /// The number of its entries.
    pub entries: u64,
    /// Its summary as last stored; empty if none ever was.
    pub summary: Summary,
}

impl SessionInfo {
    /// A session of which nothing is known yet.
    pub fn new(session: SessionId) -> Self {
        Self {
            session,
            created_at: Timestamp::default(),
            updated_at: Timestamp::default(),
            entries: 0,
            summary: Summary::default(),
        }
    }

    /// The same with so many entries, the first and the last of which were made then.
    #[must_use]
    pub fn with_entries(self, entries: u64, first: Timestamp, last: Timestamp) -> Self {
        Self { entries, created_at: first, updated_at: last, ..self }
    }

    /// The same with what was said of it last.
    #[must_use]
    pub fn with_summary(self, summary: Summary) -> Self {
        Self { summary, ..self }
    }
}

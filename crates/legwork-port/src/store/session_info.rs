//! A session in a listing.

use legwork_core::inbox::Cursor;
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
    /// The last item in its inbox; at least [`Summary::taken`].
    pub inbox: Cursor,
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
            inbox: Cursor::default(),
            summary: Summary::default(),
        }
    }

    /// The same with so many entries, the first and the last of which were made then.
    #[must_use]
    pub fn with_entries(self, entries: u64, first: Timestamp, last: Timestamp) -> Self {
        Self { entries, created_at: first, updated_at: last, ..self }
    }

    /// The same with an inbox that ends with this item.
    #[must_use]
    pub fn with_inbox(self, last: Cursor) -> Self {
        Self { inbox: last, ..self }
    }

    /// Whether its inbox has an item that its journal did not take up.
    pub fn has_new_items(&self) -> bool {
        self.inbox > self.summary.taken
    }

    /// Since when it is due, if it is due at a time; sessions that are due have this order.
    ///
    /// It is due if it has work to do by itself ([`Summary::due_at`]), or its inbox has new
    /// items: those wait for the session as it was when its last entry was made. A session
    /// without an entry is not due, as nothing says which agent works in it.
    pub fn due_since(&self, now: Timestamp) -> Option<Timestamp> {
        let by_itself = self.summary.due_at.filter(|due| *due <= now);
        let by_item = self.has_new_items().then_some(self.updated_at);
        let since = [by_itself, by_item].into_iter().flatten().min();
        since.filter(|_| self.entries > 0)
    }

    /// The same with what was said of it last.
    #[must_use]
    pub fn with_summary(self, summary: Summary) -> Self {
        Self { summary, ..self }
    }
}

//! The pages of a listing.

use std::fmt;

use legwork_core::{SessionId, Timestamp};

use super::session_info::SessionInfo;

/// A page of a listing, the sessions changed last first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Page {
    /// The sessions, those changed last first.
    pub sessions: Vec<SessionInfo>,
    /// Where the next page begins; none if this is the last.
    pub next: Option<PageCursor>,
}

impl Page {
    /// A page of these sessions, and where the next one begins.
    pub fn new(sessions: Vec<SessionInfo>, next: Option<PageCursor>) -> Self {
        Self { sessions, next }
    }
}

/// A position in a listing, opaque to all but the store that made it.
///
/// It stays valid while sessions are changed, added and removed, also by another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageCursor(String);

impl PageCursor {
    /// A cursor from the text that a store encoded.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The cursor as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The position after a session, by when it changed and its id.
    pub fn of(updated_at: Timestamp, session: &SessionId) -> Self {
        Self(format!("{}.{session}", updated_at.0))
    }

    /// The session before the position, if [`PageCursor::of`] made the cursor.
    pub fn place(&self) -> Option<(Timestamp, SessionId)> {
        let (at, session) = self.0.split_once('.')?;
        Some((Timestamp(at.parse().ok()?), SessionId::from(session)))
    }
}

impl fmt::Display for PageCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

//! A page of a listing, and where the next one begins.

use std::fmt;

use legwork_core::{SessionId, Timestamp};

use super::session_info::SessionInfo;

/// A page of a listing: the session changed last comes first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Page {
    /// The sessions.
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

/// A place in a listing: the store that gave it out knows what it means, nobody else does.
///
/// It stays good while sessions change, come and go, also in another process. Whoever goes
/// from page to page finds each session that does not change meanwhile once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageCursor(String);

impl PageCursor {
    /// A place that a store wrote down.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The place as the store wrote it down.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The place behind a session: when it changed, and its id to tell those of one moment
    /// apart.
    pub fn of(updated_at: Timestamp, session: &SessionId) -> Self {
        Self(format!("{}.{session}", updated_at.0))
    }

    /// The session that the place is behind, as [`PageCursor::of`] wrote it; none if another
    /// way of writing it was used.
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

//! The query of a listing.

use legwork_core::{ExecutionStatus, SessionId, Timestamp};

use super::error::Error;
use super::page::{Page, PageCursor};
use super::session_info::SessionInfo;

/// Which sessions to list, and how many at once; all filters that are set must match.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Query {
    /// The cursor of the page before; none for the first page.
    pub after: Option<PageCursor>,
    /// The maximum number of sessions on a page.
    pub limit: usize,
    /// Only sessions of this status.
    pub status: Option<ExecutionStatus>,
    /// Only sessions that have an entry with exactly this label.
    pub label: Option<String>,
    /// Only sessions with this parent.
    pub parent: Option<Parent>,
    /// Only sessions whose last entry was made at or after this time.
    pub since: Option<Timestamp>,
    /// Only sessions whose title contains this text, ignoring case.
    pub title: Option<String>,
}

/// The session that spawned a session.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Parent {
    /// None: it is the root of a tree of agents.
    None,
    /// This session.
    Session(SessionId),
}

impl Query {
    /// All sessions on one page.
    pub fn all() -> Self {
        Self::first(usize::MAX)
    }

    /// The first page, with at most this many sessions.
    pub fn first(limit: usize) -> Self {
        Self {
            after: None,
            limit,
            status: None,
            label: None,
            parent: None,
            since: None,
            title: None,
        }
    }

    /// The same for the page after the one with this cursor.
    #[must_use]
    pub fn after(self, cursor: PageCursor) -> Self {
        Self { after: Some(cursor), ..self }
    }

    /// The same, only sessions of this status.
    #[must_use]
    pub fn status(self, status: ExecutionStatus) -> Self {
        Self { status: Some(status), ..self }
    }

    /// The same, only sessions that have an entry with exactly this label.
    #[must_use]
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// The same, only sessions that no other session spawned.
    #[must_use]
    pub fn roots(self) -> Self {
        Self { parent: Some(Parent::None), ..self }
    }

    /// The same, only sessions that this session spawned.
    #[must_use]
    pub fn children_of(self, parent: SessionId) -> Self {
        Self { parent: Some(Parent::Session(parent)), ..self }
    }

    /// The same, only sessions whose last entry was made at or after this time.
    #[must_use]
    pub fn since(self, since: Timestamp) -> Self {
        Self { since: Some(since), ..self }
    }

    /// The same, only sessions whose title contains this text, ignoring case.
    #[must_use]
    pub fn title(self, text: impl Into<String>) -> Self {
        Self { title: Some(text.into()), ..self }
    }

    /// Whether a session matches all filters.
    pub fn admits(&self, info: &SessionInfo) -> bool {
        let summary = &info.summary;
        let parent = match &self.parent {
            None => true,
            Some(Parent::None) => summary.parent.is_none(),
            Some(Parent::Session(parent)) => summary.parent.as_ref() == Some(parent),
        };
        parent
            && (self.status.is_none() || self.status == summary.status)
            && self.since.is_none_or(|since| info.updated_at >= since)
            && self.label.as_ref().is_none_or(|label| summary.labels.contains(label))
            && self
                .title
                .as_ref()
                .is_none_or(|text| summary.title.to_lowercase().contains(&text.to_lowercase()))
    }

    /// The page of this query, for stores that have all sessions in memory.
    ///
    /// `store` is the name of the store, for the error.
    ///
    /// # Errors
    /// [`Error::PageCursor`] if this function did not make the cursor.
    pub fn page(
        &self,
        store: &str,
        all: impl IntoIterator<Item = SessionInfo>,
    ) -> Result<Page, Error> {
        let place = |info: &SessionInfo| (info.updated_at, info.session.clone());
        let unknown = |cursor: &PageCursor| Error::PageCursor {
            store: store.to_owned(),
            cursor: cursor.as_str().to_owned(),
        };
        let after = match &self.after {
            None => None,
            Some(cursor) => Some(cursor.place().ok_or_else(|| unknown(cursor))?),
        };
        let fits = |info: &SessionInfo| {
            after.as_ref().is_none_or(|after| place(info) < *after) && self.admits(info)
        };
        let mut sessions: Vec<_> = all.into_iter().filter(fits).collect();
        sessions.sort_by_cached_key(|info| std::cmp::Reverse(place(info)));
        let more = sessions.len() > self.limit;
        sessions.truncate(self.limit);
        let last = sessions.last().filter(|_| more);
        let next = last.map(|last| PageCursor::of(last.updated_at, &last.session));
        Ok(Page { next, sessions })
    }
}

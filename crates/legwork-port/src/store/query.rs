//! Which sessions are listed.

use legwork_core::{ExecutionStatus, SessionId, Timestamp};

use super::page::{Page, PageCursor};
use super::session_info::SessionInfo;

/// Which sessions are listed, and how many at once. Filters that are set must all hold.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Query {
    /// Where to go on: after the sessions of the page that gave it.
    pub after: Option<PageCursor>,
    /// How many sessions a page has at most.
    pub limit: usize,
    /// Those of this status.
    pub status: Option<ExecutionStatus>,
    /// Those that have an entry with exactly this label.
    pub label: Option<String>,
    /// Those that have this parent.
    pub parent: Option<Parent>,
    /// Those whose last entry was made then or later.
    pub since: Option<Timestamp>,
    /// Those whose title contains this text, in upper or lower case.
    pub title: Option<String>,
}

/// The session that spawned a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parent {
    /// None did: it is the root of a tree of agents.
    None,
    /// This one did.
    Session(SessionId),
}

impl Query {
    /// All sessions on one page.
    pub fn all() -> Self {
        Self::first(usize::MAX)
    }

    /// The first sessions, so many at most.
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

    /// The same, after the sessions of the page that gave the cursor.
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

    /// The same, only sessions that no other one spawned.
    #[must_use]
    pub fn roots(self) -> Self {
        Self { parent: Some(Parent::None), ..self }
    }

    /// The same, only the sessions that this one spawned.
    #[must_use]
    pub fn children_of(self, parent: SessionId) -> Self {
        Self { parent: Some(Parent::Session(parent)), ..self }
    }

    /// The same, only sessions whose last entry was made then or later.
    #[must_use]
    pub fn since(self, since: Timestamp) -> Self {
        Self { since: Some(since), ..self }
    }

    /// The same, only sessions whose title contains this text, in upper or lower case.
    #[must_use]
    pub fn title(self, text: impl Into<String>) -> Self {
        Self { title: Some(text.into()), ..self }
    }

    /// Whether a session fits the filters.
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

    /// The page of all sessions of a store, for stores that have them at hand.
    ///
    /// # Errors
    /// The text of the cursor, when it is none that this function gave out.
    pub fn page(&self, all: impl IntoIterator<Item = SessionInfo>) -> Result<Page, String> {
        let place = |info: &SessionInfo| (info.updated_at, info.session.clone());
        let after = match &self.after {
            None => None,
            Some(cursor) => Some(cursor.place().ok_or_else(|| cursor.as_str().to_owned())?),
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

//! The query for sessions that have work to do.

use legwork_core::{SessionId, Timestamp};

use super::error::Error;
use super::page::{Page, PageCursor};
use super::session_info::SessionInfo;

/// Which sessions that are due to return; see [`Store::due`](super::Store::due).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DueQuery {
    /// The present time, as the caller knows it.
    pub now: Timestamp,
    /// The cursor of the page before; none for the first page.
    pub after: Option<PageCursor>,
    /// The maximum number of sessions on a page.
    pub limit: usize,
}

impl DueQuery {
    /// All sessions that are due at this time, on one page.
    pub fn at(now: Timestamp) -> Self {
        Self { now, after: None, limit: usize::MAX }
    }

    /// The same with at most this many sessions on a page.
    #[must_use]
    pub fn limit(self, sessions: usize) -> Self {
        Self { limit: sessions, ..self }
    }

    /// The same for the page after the one with this cursor.
    #[must_use]
    pub fn after(self, cursor: PageCursor) -> Self {
        Self { after: Some(cursor), ..self }
    }

    /// The page of this query, for stores that have all sessions that may be due in memory.
    ///
    /// `store` is the name of the store, for the error. Claims are the caller's matter.
    ///
    /// # Errors
    /// [`Error::PageCursor`] if this function did not make the cursor.
    pub fn page(
        &self,
        store: &str,
        sessions: impl IntoIterator<Item = SessionInfo>,
    ) -> Result<Page, Error> {
        let after = match &self.after {
            None => None,
            Some(cursor) => Some(cursor.place().ok_or_else(|| Error::PageCursor {
                store: store.to_owned(),
                cursor: cursor.as_str().to_owned(),
            })?),
        };
        let due = sessions.into_iter().filter_map(|info| {
            let place: (Timestamp, SessionId) = (info.due_since(self.now)?, info.session.clone());
            after.as_ref().is_none_or(|after| place > *after).then_some((place, info))
        });
        let mut due: Vec<_> = due.collect();
        due.sort_by(|(a, _), (b, _)| a.cmp(b));
        let more = due.len() > self.limit;
        due.truncate(self.limit);
        let last = due.last().filter(|_| more);
        let next = last.map(|((since, session), _)| PageCursor::of(*since, session));
        Ok(Page::new(due.into_iter().map(|(_, info)| info).collect(), next))
    }
}

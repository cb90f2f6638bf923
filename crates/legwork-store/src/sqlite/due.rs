//! The sessions that have work to do, by an index of those that may have some.

use std::sync::Arc;

use legwork_core::SessionId;
use legwork_port::store::{DueQuery, Error, Page, PageCursor};
use rusqlite::{Connection, params};

use super::{Inner, claims, listing};
use crate::lock::Lock;
use crate::name::Name;

/// Sessions that are read before their claims are looked at.
const BATCH: usize = 256;

impl Inner {
    /// Those that are due and whose claims are free. The claims are locks on files, which are
    /// looked at one by one until the page is full.
    pub(super) async fn due(self: &Arc<Self>, query: DueQuery) -> Result<Page, Error> {
        let inner = Arc::clone(self);
        self.look(move |connection, name| page(connection, name, &inner, &query)).await
    }
}

fn page(
    connection: &Connection,
    name: &Name,
    inner: &Inner,
    query: &DueQuery,
) -> Result<Page, Error> {
    let mut after = match &query.after {
        None => (0, String::new()),
        Some(cursor) => {
            let place = cursor.place().ok_or_else(|| name.page_cursor(cursor.as_str()))?;
            (place.0.0, place.1.as_str().to_owned())
        }
    };
    let mut due = Page::default();
    loop {
        let batch = batch(connection, query, &after)
            .map_err(|error| name.sqlite("looking for sessions that are due", &error))?;
        let is_last = batch.len() < BATCH;
        for (since, session) in batch {
            after = (since, session.as_str().to_owned());
            if Lock::is_held(name, &claims(&inner.path), &session)? {
                continue;
            }
            if due.sessions.len() == query.limit {
                let last = due.sessions.last();
                let last = last.and_then(|last| Some((last.due_since(query.now)?, &last.session)));
                due.next = last.map(|(since, session)| PageCursor::of(since, session));
                return Ok(due);
            }
            let info = listing::one(connection, name, &session)?;
            // Removed meanwhile, or worked in.
            due.sessions.extend(info.filter(|info| info.due_since(query.now).is_some()));
        }
        if is_last {
            return Ok(due);
        }
    }
}

/// The next sessions after a position, each with since when it is due.
fn batch(
    connection: &Connection,
    query: &DueQuery,
    after: &(u64, String),
) -> rusqlite::Result<Vec<(u64, SessionId)>> {
    let sql = "SELECT due, name FROM session
        WHERE due IS NOT NULL AND due <= ?1 AND (due, name) > (?2, ?3) ORDER BY due, name LIMIT ?4";
    let mut statement = connection.prepare_cached(sql)?;
    let now = i64::try_from(query.now.0).unwrap_or(i64::MAX);
    let since = i64::try_from(after.0).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![now, since, after.1, BATCH], |row| {
        Ok((row.get(0)?, SessionId::from(row.get::<_, String>(1)?)))
    })?;
    rows.collect()
}

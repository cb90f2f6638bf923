//! Pages of the list of sessions, made of their rows alone: no journal is read.
//!
//! An index has them in the order of the list, so a page costs what is on it and what its filters
//! leave out on the way.

use legwork_core::{SessionId, Timestamp};
use legwork_port::store::{DueQuery, Page, PageCursor, Parent, Query, SessionInfo};
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{Postgres, QueryBuilder, query};

use super::holders::Holder;
use super::link::{Before, Request};
use super::sql::{Sql, number, text};
use super::summary::{COLUMNS, info};

/// When a session was updated, or since when it is due, and its id.
pub(super) type Position = (u64, SessionId);

/// Lists the sessions that match a query.
pub(super) struct List {
    pub(super) query: Query,
    /// Where the page before ended.
    pub(super) after: Option<Position>,
}

impl Request for List {
    type Answer = Page;
    const TRIED: &'static str = "listing the sessions";

    async fn ask(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
        _: Before,
    ) -> Result<Page, sqlx::Error> {
        let mut select = self.select(sql);
        let rows = select.build().fetch_all(connection).await?;
        page(&rows, self.query.limit, |info| info.updated_at)
    }
}

impl List {
    /// The statement, with a condition for each filter that is set.
    fn select(&self, sql: &Sql) -> QueryBuilder<Postgres> {
        let (query, schema) = (&self.query, sql.schema());
        let start = format!("SELECT {COLUMNS} FROM {schema}.session WHERE last > 0");
        let mut select = QueryBuilder::new(start);
        if let Some((at, session)) = &self.after {
            select.push(" AND (updated, name) < (").push_bind(number(*at));
            select.push(", ").push_bind(text(session.as_str())).push(")");
        }
        match &query.parent {
            None => {}
            Some(Parent::Session(parent)) => {
                select.push(" AND parent = ").push_bind(text(parent.as_str()));
            }
            Some(_) => {
                select.push(" AND parent IS NULL");
            }
        }
        if let Some(status) = &query.status {
            select.push(" AND status = ").push_bind(text(status.as_str()));
        }
        if let Some(label) = &query.label {
            select.push(" AND labels @> ARRAY[").push_bind(text(label)).push("]");
        }
        if let Some(since) = query.since {
            select.push(" AND updated >= ").push_bind(number(since.0));
        }
        if let Some(title) = &query.title {
            // Folded here, as the filter says it: the server's rules depend on its locale.
            let folded = text(&title.to_lowercase());
            select.push(" AND strpos(folded, ").push_bind(folded).push(") > 0");
        }
        select.push(" ORDER BY updated DESC, name DESC LIMIT ").push_bind(one_more(query.limit));
        select
    }
}

/// Lists the sessions that are due and whose claim is not held.
pub(super) struct ListDue {
    pub(super) query: DueQuery,
    /// Where the page before ended.
    pub(super) after: Option<Position>,
}

impl Request for ListDue {
    type Answer = Page;
    const TRIED: &'static str = "looking for sessions that are due";

    async fn ask(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
        _: Before,
    ) -> Result<Page, sqlx::Error> {
        let (since, name) = match &self.after {
            None => (-1, String::new()),
            Some((since, session)) => (number(*since), text(session.as_str())),
        };
        let now = self.query.now;
        let select = format!(
            "SELECT {COLUMNS} FROM @.session WHERE due <= $1 AND (due, name) > ($2, $3)
                AND (lease_until IS NULL OR lease_until <= clock_timestamp() OR holder = ANY($4))
            ORDER BY due, name LIMIT $5"
        );
        let select = query(sql.composed(&select)).bind(number(now.0)).bind(since).bind(name);
        let select = select.bind(Holder::given_back()).bind(one_more(self.query.limit));
        let rows = select.fetch_all(connection).await?;
        page(&rows, self.query.limit, |info| info.due_since(now).unwrap_or(now))
    }
}

/// One more than fits on the page: then there is a next page.
fn one_more(limit: usize) -> i64 {
    number(u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1))
}

/// The page of these rows; `at` is the first part of a session's position.
fn page(
    rows: &[PgRow],
    limit: usize,
    at: impl Fn(&SessionInfo) -> Timestamp,
) -> Result<Page, sqlx::Error> {
    let more = rows.len() > limit;
    let sessions = rows.iter().take(limit).map(info).collect::<Result<Vec<_>, _>>()?;
    let last = sessions.last().filter(|_| more);
    let next = last.map(|last| PageCursor::of(at(last), &last.session));
    Ok(Page::new(sessions, next))
}

//! Pages of the list of sessions, made of their rows alone: no journal is read.
//!
//! A session in progress does not say in its row when it was updated; the key of its journal's
//! last row leads to that. All others come from an index in the order of the list, so a page
//! costs what is on it, and a look at each session in progress.

use legwork_core::inbox::Cursor;
use legwork_core::{AgentId, ExecutionStatus, SessionId, Summary, Timestamp};
use legwork_port::store::{Error, Page, PageCursor, Query, SessionInfo};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::fault;
use super::journal::Rows;
use crate::name::Name;

/// What [`listed`] reads of a row.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, created, ifnull(updated, created), name, status, agent, parent, steps, \
             title, labels, taken, due_at, posted FROM session ",
            $rest
        )
    };
}

const IN_PROGRESS: &str = select!("WHERE updated IS NULL AND created IS NOT NULL");

const OTHERS: &str = select!("WHERE (updated, id) < (?1, ?2) ORDER BY updated DESC, id DESC");

const ONE: &str = select!("WHERE name = ?1 AND created IS NOT NULL");

/// A session as it is listed; none if it has no entry.
pub(super) fn one(
    connection: &Connection,
    name: &Name,
    session: &SessionId,
) -> Result<Option<SessionInfo>, Error> {
    let find = || -> rusqlite::Result<Option<SessionInfo>> {
        let found = connection.prepare_cached(ONE)?.query_row([session.as_str()], listed);
        let Some(mut found) = found.optional()? else { return Ok(None) };
        if !date(connection, &mut found)? {
            return Ok(None);
        }
        found.info.entries = Rows::of(found.position.1).count(connection)?;
        Ok(Some(found.info))
    };
    find().map_err(|error| name.sqlite("listing a session", &error))
}

/// A session of this file, as it is listed.
struct Listed {
    /// Its position in the list.
    position: Position,
    info: SessionInfo,
}

/// When a session was updated, and its number in this file.
type Position = (u64, i64);

pub(super) fn sessions(connection: &Connection, name: &Name, query: &Query) -> Result<Page, Error> {
    let after = position(name, query)?;
    let failed = |error| name.sqlite("listing the sessions", &error);
    let mut list = List { connection, query, after, sessions: Vec::new() };
    list.add_in_progress().map_err(failed)?;
    list.add_others().map_err(failed)?;
    list.into_page().map_err(failed)
}

/// The position that a query goes on after.
fn position(name: &Name, query: &Query) -> Result<Position, Error> {
    let Some(cursor) = &query.after else { return Ok((i64::MAX as u64, i64::MAX)) };
    let parts = cursor.as_str().split_once('.');
    let read = parts.and_then(|(at, number)| Some((at.parse().ok()?, number.parse().ok()?)));
    read.ok_or_else(|| name.page_cursor(cursor.as_str()))
}

struct List<'a> {
    connection: &'a Connection,
    query: &'a Query,
    after: Position,
    sessions: Vec<Listed>,
}

impl List<'_> {
    /// Adds those in progress that may be on the page.
    fn add_in_progress(&mut self) -> rusqlite::Result<()> {
        let connection = self.connection;
        let mut statement = connection.prepare_cached(IN_PROGRESS)?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            let mut listed = listed(row)?;
            if date(connection, &mut listed)? && listed.position < self.after {
                self.add(listed);
            }
        }
        self.order();
        Ok(())
    }

    /// Adds others in the order of the list, until the page is full.
    fn add_others(&mut self) -> rusqlite::Result<()> {
        let (connection, in_progress, enough) =
            (self.connection, self.sessions.len(), self.enough());
        let mut statement = connection.prepare_cached(OTHERS)?;
        let at = i64::try_from(self.after.0).unwrap_or(i64::MAX);
        let mut rows = statement.query(params![at, self.after.1])?;
        while let Some(row) = rows.next()? {
            let listed = listed(row)?;
            let old = self.query.since.is_some_and(|since| listed.info.updated_at < since);
            // Those in progress that come before this one are on the page in any case.
            let sorted = self.sessions.get(..in_progress).unwrap_or_default();
            let before = sorted.partition_point(|other| other.position > listed.position);
            if old || before + self.sessions.len() - in_progress >= enough {
                break;
            }
            self.add(listed);
        }
        self.order();
        Ok(())
    }

    fn add(&mut self, listed: Listed) {
        if self.query.admits(&listed.info) {
            self.sessions.push(listed);
        }
    }

    /// One more than fits on the page: then there is a next page.
    fn enough(&self) -> usize {
        self.query.limit.saturating_add(1)
    }

    fn order(&mut self) {
        self.sessions.sort_by_key(|listed| std::cmp::Reverse(listed.position));
        self.sessions.truncate(self.enough());
    }

    fn into_page(mut self) -> rusqlite::Result<Page> {
        let more = self.sessions.len() > self.query.limit;
        self.sessions.truncate(self.query.limit);
        for listed in &mut self.sessions {
            listed.info.entries = Rows::of(listed.position.1).count(self.connection)?;
        }
        let last = self.sessions.last().filter(|_| more).map(|listed| listed.position);
        let next = last.map(|(at, number)| PageCursor::new(format!("{at}.{number}")));
        Ok(Page::new(self.sessions.into_iter().map(|listed| listed.info).collect(), next))
    }
}

/// Sets when a session was updated, by its journal's last row; false if it has no entry.
fn date(connection: &Connection, listed: &mut Listed) -> rusqlite::Result<bool> {
    let updated = match Rows::of(listed.position.1).last(connection) {
        Ok(Some((_, at))) => at,
        Ok(None) => return Ok(false),
        // It is listed all the same; reading it reports the damage.
        Err(error) if fault::is_damage(&error) => listed.position.0,
        Err(error) => return Err(error),
    };
    (listed.position.0, listed.info.updated_at) = (updated, Timestamp(updated));
    Ok(true)
}

/// A session as its row describes it.
fn listed(row: &Row<'_>) -> rusqlite::Result<Listed> {
    let (number, created, updated) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let text = |column| row.get::<_, Option<String>>(column);
    let mut summary = Summary::default();
    summary.status = text(4)?.map(|status| ExecutionStatus::from(status.as_str()));
    summary.agent = text(5)?.map(AgentId::from);
    summary.parent = text(6)?.map(SessionId::from);
    summary.steps = row.get::<_, Option<u64>>(7)?.unwrap_or(0);
    summary.title = text(8)?.unwrap_or_default();
    // Labels that are not JSON are ignored.
    let labels = text(9)?.and_then(|labels| serde_json::from_str(&labels).ok());
    summary.labels = labels.unwrap_or_default();
    summary.taken = Cursor(row.get(10)?);
    summary.due_at = row.get::<_, Option<u64>>(11)?.map(Timestamp);
    let info = SessionInfo::new(SessionId::from(row.get::<_, String>(3)?))
        .with_entries(0, Timestamp(created), Timestamp(updated))
        .with_inbox(Cursor(row.get(12)?))
        .with_summary(summary);
    Ok(Listed { position: (updated, number), info })
}

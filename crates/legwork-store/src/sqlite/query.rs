//! What is read of a session: its journal, its inbox.

use legwork_core::SessionId;
use legwork_core::inbox::{Cursor, Posted};
use legwork_core::journal::Journal;
use legwork_port::store::{Error, Loaded, Range};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::journal::Rows;
use crate::name::Name;
use crate::whole::Whole;

/// The number of a session in this file.
pub(super) fn number(
    connection: &Connection,
    session: &SessionId,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM session WHERE name = ?1")?
        .query_row([session.as_str()], |row| row.get(0))
        .optional()
}

/// The last item in a session's inbox, or the last that was taken up elsewhere.
fn last_item(connection: &Connection, number: i64) -> rusqlite::Result<Cursor> {
    connection
        .prepare_cached("SELECT posted FROM session WHERE id = ?1")?
        .query_row([number], |row| row.get(0).map(Cursor))
}

pub(super) fn load(
    connection: &Connection,
    name: &Name,
    session: &SessionId,
    range: Range,
) -> Result<Loaded, Error> {
    let failed = |error| name.sqlite("reading a journal", &error);
    let Some(number) = number(connection, session).map_err(failed)? else {
        return Ok(Loaded::default());
    };
    let inbox = last_item(connection, number).map_err(failed)?;
    let whole = Rows::of(number).read(connection, name, range)?;
    let damage = whole.report(session);
    let next = whole.goes_on.then(|| range.rest(whole.entries.len()));
    let Whole { entries, unreadable, .. } = whole;
    let mut loaded = Loaded::new(Journal::new(entries), inbox);
    (loaded.damage, loaded.unreadable, loaded.next) = (damage, unreadable, next);
    Ok(loaded)
}

pub(super) fn inbox(
    connection: &Connection,
    name: &Name,
    session: &SessionId,
    after: Cursor,
) -> Result<Vec<Posted>, Error> {
    let failed = |error| name.sqlite("reading an inbox", &error);
    let sql = "SELECT cursor, key, item FROM inbox \
               WHERE session = (SELECT id FROM session WHERE name = ?1) AND cursor > ?2 \
               ORDER BY cursor";
    let mut statement = connection.prepare_cached(sql).map_err(failed)?;
    let after = i64::try_from(after.0).unwrap_or(i64::MAX);
    let rows = statement
        .query_map(params![session.as_str(), after], |row| {
            Ok((row.get::<_, u64>(0)?, row.get::<_, String>(1)?, row.get::<_, Vec<u8>>(2)?))
        })
        .map_err(failed)?;
    rows.map(|row| {
        let (cursor, key, item) = row.map_err(failed)?;
        let item = serde_json::from_slice(&item).map_err(|error| {
            name.failed(format!(
                "item {cursor} in the inbox of session {session} cannot be read: {error}; \
                 a newer Legwork may have left it, then use that one"
            ))
        })?;
        Ok(Posted { cursor: Cursor(cursor), key, item })
    })
    .collect()
}

//! The changes: claims, appends, posts. Each runs inside a transaction.

use legwork_core::inbox::Cursor;
use legwork_core::{AgentId, ExecutionStatus, Fence, Seq, SessionId, Summary};
use legwork_port::store::{Appended, Error, Loss, Range};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::journal::Rows;
use super::query::number;
use crate::name::{Name, lost};

/// A session whose claim was taken: its number in this file and the claim's token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taken {
    pub(super) number: i64,
    pub(super) fence: Fence,
}

/// Takes the next token of a session.
pub(super) fn take(tx: &Connection, name: &Name, session: &SessionId) -> Result<Taken, Error> {
    let failed = |error| name.sqlite("claiming a session", &error);
    let number = numbered(tx, session).map_err(failed)?;
    let fence = tx
        .prepare_cached("UPDATE session SET fence = fence + 1 WHERE id = ?1 RETURNING fence")
        .and_then(|mut statement| statement.query_row([number], |row| row.get(0).map(Fence)))
        .map_err(failed)?;
    Ok(Taken { number, fence })
}

/// The newest token of a session; none if it was removed.
pub(super) fn fence(connection: &Connection, number: i64) -> rusqlite::Result<Option<Fence>> {
    connection
        .prepare_cached("SELECT fence FROM session WHERE id = ?1")?
        .query_row([number], |row| row.get(0).map(Fence))
        .optional()
}

/// Entries to be appended after the one numbered `expected`.
pub(super) struct Append {
    pub(super) name: Name,
    pub(super) session: SessionId,
    pub(super) taken: Taken,
    pub(super) expected: Seq,
    pub(super) last: Seq,
    /// When the first and the last of them were made.
    pub(super) times: (u64, u64),
    pub(super) lines: Vec<u8>,
    pub(super) summary: Option<Summary>,
    /// The last inbox item that the caller knows of; with a later one nothing is written.
    pub(super) seen: Option<Cursor>,
}

/// What an append did.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written {
    pub(super) appended: Appended,
    /// Whether it set damaged rows aside.
    pub(super) cut_damage: bool,
}

/// The state of a session in the file.
struct Found {
    fence: Fence,
    last: Seq,
    inbox: Cursor,
    /// When it was updated, if its row says so.
    updated: Option<i64>,
}

impl Append {
    pub(super) fn run(&self, tx: &Connection) -> Result<Written, Error> {
        let found = self.look(tx).map_err(|error| self.failed(&error))?;
        let Some(found) = found else {
            return Err(lost(&self.session, Loss::Removed));
        };
        if found.fence != self.taken.fence {
            return Err(lost(&self.session, Loss::Claimed));
        }
        if found.last < self.expected {
            return Err(self.elsewhere(found.last));
        }
        if self.seen.is_some_and(|seen| found.inbox > seen) {
            return Err(Error::NewItems { session: self.session.clone(), inbox: found.inbox });
        }
        let cut_damage = found.last > self.expected;
        if cut_damage {
            self.cut_damage(tx, found.last)?;
        }
        self.write(tx, found.updated).map_err(|error| self.failed(&error))?;
        let taken = self.summary.as_ref().map(|summary| summary.taken).unwrap_or_default();
        Ok(Written { appended: Appended::new(found.inbox.max(taken)), cut_damage })
    }

    fn failed(&self, error: &rusqlite::Error) -> Error {
        self.name.sqlite("appending to a journal", error)
    }

    fn rows(&self) -> Rows {
        Rows::of(self.taken.number)
    }

    /// The state of the session, in one statement, as each takes time.
    fn look(&self, tx: &Connection) -> rusqlite::Result<Option<Found>> {
        let (first, last) = self.rows().range();
        let sql = "SELECT fence,
            (SELECT id FROM journal WHERE id BETWEEN ?2 AND ?3 ORDER BY id DESC LIMIT 1),
            posted, updated FROM session WHERE id = ?1";
        let found = |row: &Row<'_>| {
            Ok(Found {
                fence: Fence(row.get(0)?),
                last: row.get::<_, Option<i64>>(1)?.map_or(Seq::ZERO, Rows::number),
                inbox: Cursor(row.get(2)?),
                updated: row.get(3)?,
            })
        };
        let asked = params![self.taken.number, first, last];
        tx.prepare_cached(sql)?.query_row(asked, found).optional()
    }

    /// Sets a damaged tail aside, which counts as missing.
    fn cut_damage(&self, tx: &Connection, last: Seq) -> Result<(), Error> {
        let whole = self.rows().read(tx, &self.name, Range::ALL)?;
        if let Some(unreadable) = whole.unreadable {
            return Err(unreadable.refuses(&self.session));
        }
        if whole.damage.is_some() && whole.last() == self.expected {
            return self.rows().cut(tx, &whole).map_err(|error| self.failed(&error));
        }
        Err(self.elsewhere(last))
    }

    /// The conflict of an append that does not follow the last entry.
    fn elsewhere(&self, found: Seq) -> Error {
        Error::Moved { session: self.session.clone(), expected: self.expected, found }
    }

    fn write(&self, tx: &Connection, updated: Option<i64>) -> rusqlite::Result<()> {
        let (first, last) = self.times;
        let appends = self.last > self.expected;
        if appends {
            self.rows().append(tx, self.last, last, &self.lines)?;
        }
        if appends && self.expected == Seq::ZERO {
            tx.prepare_cached("UPDATE session SET created = ?2 WHERE id = ?1")?
                .execute(params![self.taken.number, first])?;
        }
        match &self.summary {
            Some(summary) => self.summarise(tx, summary),
            // Where the row says when it was updated, that stays true.
            None if appends && updated.is_some() => tx
                .prepare_cached("UPDATE session SET updated = ?2 WHERE id = ?1")?
                .execute(params![self.taken.number, last])
                .map(|_| ()),
            None => Ok(()),
        }
    }

    /// Writes the summary of the session for lists. While an execution is in progress, its row
    /// does not hold when it was updated: each step would have to write that.
    fn summarise(&self, tx: &Connection, summary: &Summary) -> rusqlite::Result<()> {
        let updated = match summary.status {
            Some(ExecutionStatus::InProgress) => None,
            _ => self.rows().last(tx)?.map(|(_, at)| at),
        };
        let labels = match summary.labels.is_empty() {
            true => None,
            false => serde_json::to_string(&summary.labels).ok(),
        };
        let sql = "UPDATE session SET updated = ?2, status = ?3, agent = ?4, parent = ?5,
            steps = ?6, title = ?7, labels = ?8, taken = ?9, due_at = ?10,
            posted = max(posted, ?9) WHERE id = ?1";
        let status = summary.status.as_ref().map(ExecutionStatus::as_str);
        let agent = summary.agent.as_ref().map(AgentId::as_str);
        let parent = summary.parent.as_ref().map(SessionId::as_str);
        let (steps, title) = (summary.steps.min(i64::MAX as u64), &summary.title);
        tx.prepare_cached(sql)?
            .execute(params![
                self.taken.number,
                updated,
                status,
                agent,
                parent,
                steps,
                title,
                labels,
                summary.taken.0,
                summary.due_at.map(|due| due.0.min(i64::MAX as u64))
            ])
            .map(|_| ())
    }
}

/// Leaves an item, unless its key is there already.
pub(super) fn post(
    tx: &Connection,
    name: &Name,
    session: &SessionId,
    key: &str,
    item: &[u8],
) -> Result<Cursor, Error> {
    let insert = || {
        let number = numbered(tx, session)?;
        let found = tx
            .prepare_cached("SELECT cursor FROM inbox WHERE session = ?1 AND key = ?2")?
            .query_row(params![number, key], |row| row.get(0).map(Cursor))
            .optional()?;
        if let Some(found) = found {
            return Ok(found);
        }
        let cursor = tx
            .prepare_cached(
                "UPDATE session SET posted = posted + 1 WHERE id = ?1 RETURNING posted",
            )?
            .query_row([number], |row| row.get(0).map(Cursor))?;
        tx.prepare_cached(
            "INSERT INTO inbox (session, cursor, key, item) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![number, cursor.0, key, item])?;
        Ok(cursor)
    };
    insert().map_err(|error: rusqlite::Error| name.sqlite("posting to an inbox", &error))
}

/// The number of a session, which is given one if it has none.
///
/// Its tokens begin with the time: the number, and the name too, may have been those of a
/// session that was removed, and the holder of a lost claim of that one must not write here.
fn numbered(tx: &Connection, session: &SessionId) -> rusqlite::Result<i64> {
    if let Some(number) = number(tx, session)? {
        return Ok(number);
    }
    let sql = "INSERT INTO session (name, fence) \
               VALUES (?1, CAST(unixepoch('subsec') * 1000 AS INTEGER))";
    tx.prepare_cached(sql)?.insert([session.as_str()])
}

//! Appends: one statement, which the server makes durable before it answers.
//!
//! Everything that it compares is in the row of the session. Of two that change this row at once,
//! one waits for the other and then compares with what that wrote, so no item whose post returned
//! before is missed. The last entry, too, is compared: the same append made twice, because its
//! first answer was lost, happens once.

use std::sync::Arc;

use legwork_core::inbox::Cursor;
use legwork_core::{Entry, Seq, SessionId, Summary};
use legwork_port::store::{Appended, Batch, Error, Loss};
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{Row as _, query};

use super::claim::Taken;
use super::damage;
use super::link::{Before, Request};
use super::sql::{Sql, number, unsigned};
use super::summary;
use crate::name::{Name, lost};

/// What follows the part that says which columns a summary sets, if there is one.
const SET: &str = "WITH changed AS (
    UPDATE @.session SET last = $4, created = CASE WHEN last = 0 THEN $6 ELSE created END,
        updated = CASE WHEN $4 > $3 THEN $7 ELSE updated END";

const SUMMARY: &str = ", taken = $9, due_at = $10, posted = greatest(posted, $9), status = $11,
        agent = $12, parent = $13, steps = $14, title = $15, folded = $16, labels = $17";

const WHERE: &str = "
    WHERE id = $1 AND fence = $2 AND last = $3 AND ($5 IS NULL OR posted <= $5)
    RETURNING posted
), added AS (
    INSERT INTO @.journal (session, last, at, entries)
    SELECT $1, $4, $7, $8 FROM changed WHERE $4 > $3
)
SELECT posted FROM changed";

const STATE: &str = "SELECT fence, last, posted FROM @.session WHERE id = $1";

/// Whether the row that an append would have written is there.
const IS_THERE: &str = "SELECT s.posted FROM @.session s JOIN @.journal j ON j.session = s.id
    WHERE s.id = $1 AND j.last = $2 AND j.entries = $3";

/// How often an append that nothing speaks against is tried.
const TRIES: usize = 3;

/// Entries to be appended after the one numbered `expected`.
pub(super) struct Append {
    pub(super) name: Name,
    pub(super) session: SessionId,
    pub(super) taken: Taken,
    pub(super) expected: Seq,
    last: Seq,
    /// When the first and the last of them were made.
    times: (u64, u64),
    lines: Vec<u8>,
    summary: Option<Summary>,
    /// The last inbox item that the caller knows of; with a later one nothing is written.
    seen: Option<Cursor>,
}

/// What an append did.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written {
    pub(super) appended: Appended,
    /// Whether it set damaged rows aside.
    pub(super) cut_damage: bool,
}

/// The state of a session that an append was refused for.
pub(super) struct State {
    pub(super) fence: u64,
    pub(super) last: Seq,
    pub(super) inbox: Cursor,
}

impl Append {
    /// Encodes a batch.
    ///
    /// # Errors
    /// If its entries are not numbered from the one after `expected`.
    pub(super) fn encode(
        name: &Name,
        session: &SessionId,
        taken: Taken,
        expected: Seq,
        batch: &Batch<'_>,
    ) -> Result<Self, Error> {
        let (mut lines, mut last) = (Vec::new(), expected);
        for entry in batch.entries {
            if entry.seq != last.next() {
                let reason = format!("entry {} cannot come after entry {last}", entry.seq);
                return Err(name.failed(reason));
            }
            last = entry.seq;
            let line = entry.encode().map_err(|error| {
                name.failed(format!("entry {last} cannot be written as JSON: {error}"))
            })?;
            if !lines.is_empty() {
                lines.push(b'\n');
            }
            lines.extend_from_slice(&line);
        }
        let time = |entry: Option<&Arc<Entry>>| entry.map_or(0, |entry| entry.at.0);
        Ok(Self {
            name: name.clone(),
            session: session.clone(),
            taken,
            expected,
            last,
            times: (time(batch.entries.first()), time(batch.entries.last())),
            lines,
            summary: batch.summary.cloned(),
            seen: batch.seen,
        })
    }

    /// The length of its entries as they are written.
    pub(super) fn bytes(&self) -> usize {
        self.lines.len()
    }

    /// Appends, if the session is as it is expected to be; returns the last item in its inbox.
    pub(super) async fn write(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
    ) -> Result<Option<Written>, sqlx::Error> {
        let set = if self.summary.is_some() { SUMMARY } else { "" };
        let (first, last) = self.times;
        let append = query(sql.composed(&[SET, set, WHERE].concat()))
            .bind(self.taken.number)
            .bind(number(self.taken.fence.0))
            .bind(number(self.expected.0))
            .bind(number(self.last.0))
            .bind(self.seen.map(|seen| number(seen.0)))
            .bind(number(first))
            .bind(number(last))
            .bind(&*self.lines);
        let append = match &self.summary {
            Some(summary) => summary::bind(append, summary),
            None => append,
        };
        let row = append.fetch_optional(connection).await?;
        row.map(|row| Ok(Written::of(Cursor(unsigned(row.try_get(0)?))))).transpose()
    }

    /// What an earlier attempt wrote, whose answer was lost.
    async fn written(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
    ) -> Result<Option<Written>, sqlx::Error> {
        let look = query(sql.of(IS_THERE)).bind(self.taken.number);
        let look = look.bind(number(self.last.0)).bind(&*self.lines);
        let row = look.fetch_optional(connection).await?;
        row.map(|row| Ok(Written::of(Cursor(unsigned(row.try_get(0)?))))).transpose()
    }

    /// Why it is refused by the state of its session; none if nothing speaks against it.
    pub(super) fn refusal(&self, state: Option<&State>) -> Option<Error> {
        let session = || self.session.clone();
        let Some(state) = state else { return Some(lost(&self.session, Loss::Removed)) };
        if state.fence != self.taken.fence.0 {
            return Some(lost(&self.session, Loss::Claimed));
        }
        if state.last < self.expected {
            return Some(self.elsewhere(state.last));
        }
        let seen = self.seen.unwrap_or(state.inbox);
        (state.inbox > seen).then(|| Error::NewItems { session: session(), inbox: state.inbox })
    }

    /// The conflict of an append that does not follow the last entry.
    pub(super) fn elsewhere(&self, found: Seq) -> Error {
        Error::Moved { session: self.session.clone(), expected: self.expected, found }
    }
}

impl Written {
    fn of(inbox: Cursor) -> Self {
        Self { appended: Appended::new(inbox), cut_damage: false }
    }
}

/// The state of a session; none if it was removed.
pub(super) async fn state(
    connection: &mut PgConnection,
    sql: &Sql,
    id: i64,
) -> Result<Option<State>, sqlx::Error> {
    let row = query(sql.of(STATE)).bind(id).fetch_optional(connection).await?;
    row.map(|row| State::of(&row)).transpose()
}

impl State {
    /// Reads it from the columns `fence`, `last` and `posted`.
    pub(super) fn of(row: &PgRow) -> Result<Self, sqlx::Error> {
        let get = |column: usize| row.try_get(column).map(unsigned);
        Ok(Self { fence: get(0)?, last: Seq(get(1)?), inbox: Cursor(get(2)?) })
    }
}

impl Request for Append {
    type Answer = Result<Written, Error>;
    const TRIED: &'static str = "appending to a journal";
    const DOUBT: &'static str =
        " (it is not known whether that was written: loading the session again shows it)";

    async fn ask(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
        before: Before,
    ) -> Result<Self::Answer, sqlx::Error> {
        for _ in 0..TRIES {
            if let Some(written) = self.write(connection, sql).await? {
                return Ok(Ok(written));
            }
            // What an attempt in doubt does after this one has looked is refused, for the next
            // attempt has written then, or was refused itself.
            if before == Before::InDoubt
                && self.last > self.expected
                && let Some(written) = self.written(connection, sql).await?
            {
                return Ok(Ok(written));
            }
            let state = state(connection, sql, self.taken.number).await?;
            if let Some(refusal) = self.refusal(state.as_ref()) {
                return Ok(Err(refusal));
            }
            if state.is_some_and(|state| state.last > self.expected) {
                return damage::append(self, connection, sql).await;
            }
            // It was refused for a reason that is gone, such as a removal of the session that
            // was undone.
        }
        Ok(Err(self.name.failed("the session changes each time that it is looked at; try again")))
    }
}

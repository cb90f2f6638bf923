//! Reading a journal: the rows of a range, as one statement finds them.

use std::time::Duration;

use futures_util::TryStreamExt as _;
use legwork_core::inbox::Cursor;
use legwork_core::journal::Journal;
use legwork_core::{Seq, SessionId};
use legwork_port::store::{Loaded, Range};
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{Row as _, query};
use tokio::task::spawn_blocking;

use super::link::{Before, Request};
use super::sql::{Sql, number, text, unsigned};
use crate::decode::{Damage, Decoded, RowBuffer};
use crate::whole::Whole;

/// The rows of a session from the one that has the entry after a number. Each says, too, what the
/// session's row does, and behind which entry the first row begins. It is one statement, so that
/// all of it is from one moment.
const ROWS: &str = "SELECT j.last, j.entries,
        (SELECT last FROM @.session WHERE name = $1),
        (SELECT posted FROM @.session WHERE name = $1),
        (SELECT max(last) FROM @.journal
            WHERE session = (SELECT id FROM @.session WHERE name = $1) AND last <= $2)
    FROM @.journal j
    WHERE j.session = (SELECT id FROM @.session WHERE name = $1) AND j.last > $2
    ORDER BY j.last LIMIT $3";

/// What [`ROWS`] says beside the rows, where there are none.
const REST: &str = "SELECT s.last, s.posted,
        (SELECT max(j.last) FROM @.journal j WHERE j.session = s.id AND j.last <= $2)
    FROM @.session s WHERE s.name = $1";

/// Bytes of lines that are worth another thread.
const MANY: usize = 256 << 10;

/// Loads a range of a session's journal.
pub(super) struct Load {
    pub(super) session: SessionId,
    pub(super) range: Range,
}

impl Request for Load {
    type Answer = Loaded;
    const TRIED: &'static str = "reading a journal";

    /// A long journal takes its time.
    fn limit(&self) -> Duration {
        Duration::from_secs(600)
    }

    async fn ask(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
        _: Before,
    ) -> Result<Loaded, sqlx::Error> {
        let (whole, inbox) = read(connection, sql, &self.session, self.range).await?;
        let damage = whole.report(&self.session);
        let next = whole.goes_on.then(|| self.range.rest(whole.entries.len()));
        let Whole { entries, unreadable, .. } = whole;
        let mut loaded = Loaded::new(Journal::new(entries), inbox);
        (loaded.damage, loaded.unreadable, loaded.next) = (damage, unreadable, next);
        Ok(loaded)
    }
}

/// What the row of a session says of its journal.
struct Recorded {
    last: Seq,
    inbox: Cursor,
    /// The last entry of the row before those that are read.
    start: Seq,
}

impl Recorded {
    /// Reads it from three columns.
    fn of(row: &PgRow, first: usize) -> Result<Self, sqlx::Error> {
        let get = |column| row.try_get::<Option<i64>, _>(column).map(Option::unwrap_or_default);
        let [last, inbox, start] = [get(first)?, get(first + 1)?, get(first + 2)?].map(unsigned);
        Ok(Self { last: Seq(last), inbox: Cursor(inbox), start: Seq(start) })
    }
}

/// Reads the entries of a range up to the first that is not whole or cannot be read, and the last
/// item in the inbox.
pub(super) async fn read(
    connection: &mut PgConnection,
    sql: &Sql,
    session: &SessionId,
    range: Range,
) -> Result<(Whole, Cursor), sqlx::Error> {
    let limit = number(u64::try_from(range.limit).unwrap_or(u64::MAX).saturating_add(1));
    let asked = query(sql.of(ROWS)).bind(text(session.as_str())).bind(number(range.after.0));
    let mut rows = asked.bind(limit).fetch(&mut *connection);
    let Some(first) = rows.try_next().await? else {
        drop(rows);
        return empty(connection, sql, session, range).await;
    };
    let recorded = Recorded::of(&first, 2)?;
    let mut whole = Whole::from(recorded.start, range);
    let mut buffer = RowBuffer::after(recorded.start);
    let mut next = Some(first);
    while let Some(row) = next.filter(|_| !whole.ends_early()) {
        if covers(range, buffer.last()) {
            whole.take(decoded(&mut buffer).await);
            whole.goes_on |= !whole.ends_early();
            return Ok((whole, recorded.inbox));
        }
        buffer.push(Seq(unsigned(row.try_get(0)?)), row.try_get(1)?);
        if buffer.is_full() {
            whole.take(decoded(&mut buffer).await);
        }
        next = rows.try_next().await?;
    }
    if !whole.ends_early() {
        whole.take(decoded(&mut buffer).await);
    }
    whole.compare(recorded.last);
    Ok((whole, recorded.inbox))
}

/// A range without rows.
async fn empty(
    connection: &mut PgConnection,
    sql: &Sql,
    session: &SessionId,
    range: Range,
) -> Result<(Whole, Cursor), sqlx::Error> {
    let asked = query(sql.of(REST)).bind(text(session.as_str())).bind(number(range.after.0));
    let Some(row) = asked.fetch_optional(connection).await? else {
        return Ok((Whole::from(Seq::ZERO, range), Cursor::default()));
    };
    let recorded = Recorded::of(&row, 0)?;
    let mut whole = Whole::from(recorded.start, range);
    whole.compare(recorded.last);
    Ok((whole, recorded.inbox))
}

/// Whether rows up to the entry of a number hold all of a range.
fn covers(range: Range, last: Seq) -> bool {
    let count = last.0.saturating_sub(range.after.0);
    usize::try_from(count).unwrap_or(usize::MAX) >= range.limit
}

/// Decodes what was read; where it is much, not on a thread that other tasks wait for.
async fn decoded(buffer: &mut RowBuffer) -> Vec<Decoded> {
    if buffer.len() < MANY {
        return buffer.decode();
    }
    let mut full = std::mem::replace(buffer, RowBuffer::after(buffer.last()));
    match spawn_blocking(move || (full.decode(), full)).await {
        Ok((decoded, emptied)) => {
            *buffer = emptied;
            decoded
        }
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends, and with it the task that waits for this.
            Err(_) => std::future::pending().await,
        },
    }
}

impl Whole {
    /// Reports entries that the session's row counts and no row holds.
    fn compare(&mut self, last: Seq) {
        if !self.ends_early() && self.last() < last {
            let reason = format!("the entries up to {last} are not all there");
            self.damage = Some(Damage { reason, kept: Vec::new() });
        }
    }
}

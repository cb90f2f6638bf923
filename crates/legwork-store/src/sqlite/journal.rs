//! The rows of a journal: one append each, its entries as lines.

use legwork_core::Seq;
use legwork_port::store::{Error, Range};
use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Row, params};

use super::fault;
use crate::decode::{Damage, RowBuffer};
use crate::name::Name;
use crate::whole::Whole;

/// Entries that a session may have, for their number is half of a row's key.
const LAST: u64 = u32::MAX as u64;

/// Copies rows as they are to those that were cut. In a damaged row a column may be missing
/// or of another type.
const SET_ASIDE: &str = "INSERT INTO cut
    SELECT id, ifnull(CAST(at AS INTEGER), 0), ifnull(CAST(entries AS BLOB), x'')
    FROM journal WHERE id BETWEEN ?1 AND ?2";

/// Where the rows of one session lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    session: i64,
}

impl Rows {
    pub(super) fn of(session: i64) -> Self {
        Self { session }
    }

    fn key(self, seq: Seq) -> i64 {
        (self.session << 32) | i64::try_from(seq.0.min(LAST)).unwrap_or(0)
    }

    /// The first and the last key that a row of the session may have.
    pub(super) fn range(self) -> (i64, i64) {
        (self.key(Seq::ZERO), self.key(Seq(LAST)))
    }

    /// The number of the last entry in the row with this key.
    pub(super) fn number(key: i64) -> Seq {
        Seq(key.unsigned_abs() & LAST)
    }

    /// The number of the last entry there is, whole or not, and when it was made.
    pub(super) fn last(self, connection: &Connection) -> rusqlite::Result<Option<(Seq, u64)>> {
        let sql = "SELECT id, at FROM journal WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT 1";
        connection
            .prepare_cached(sql)?
            .query_row(self.range(), |row| Ok((Self::number(row.get(0)?), row.get(1)?)))
            .optional()
    }

    /// How many entries there are, whole or not; none where the file itself is damaged.
    pub(super) fn count(self, connection: &Connection) -> rusqlite::Result<u64> {
        match self.last_key(connection, Seq(LAST)) {
            Ok(key) => Ok(key.map_or(0, |key| Self::number(key).0)),
            Err(error) if fault::is_damage(&error) => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// The key of the last row that ends with the entry of a number, or before it.
    fn last_key(self, connection: &Connection, up_to: Seq) -> rusqlite::Result<Option<i64>> {
        let sql = "SELECT id FROM journal WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT 1";
        connection
            .prepare_cached(sql)?
            .query_row([self.key(Seq::ZERO), self.key(up_to)], |row| row.get(0))
            .optional()
    }

    /// Adds entries behind all others.
    pub(super) fn append(
        self,
        transaction: &Connection,
        last: Seq,
        at: u64,
        lines: &[u8],
    ) -> rusqlite::Result<()> {
        transaction
            .prepare_cached("INSERT INTO journal (id, at, entries) VALUES (?1, ?2, ?3)")?
            .execute(params![self.key(last), at, lines])
            .map(|_| ())
    }

    /// Sets aside what comes after the last whole entry.
    pub(super) fn cut(self, transaction: &Connection, whole: &Whole) -> rusqlite::Result<()> {
        let last = whole.last();
        let tail = [self.key(last) + 1, self.key(Seq(LAST))];
        transaction.prepare_cached(SET_ASIDE)?.execute(tail)?;
        transaction
            .prepare_cached("DELETE FROM journal WHERE id BETWEEN ?1 AND ?2")?
            .execute(tail)?;
        match (&whole.damage, whole.entries.last()) {
            (Some(damage), Some(entry)) if !damage.kept.is_empty() => {
                self.append(transaction, last, entry.at.0, &damage.kept)
            }
            _ => Ok(()),
        }
    }

    /// Reads the entries of a range up to the first that is not whole or cannot be read.
    pub(super) fn read(
        self,
        connection: &Connection,
        name: &Name,
        range: Range,
    ) -> Result<Whole, Error> {
        let failed = |error| name.sqlite("reading a journal", &error);
        let start = self.start(connection, range.after).map_err(failed)?;
        let sql = "SELECT id, entries FROM journal WHERE id BETWEEN ?1 AND ?2 ORDER BY id";
        let mut statement = connection.prepare_cached(sql).map_err(failed)?;
        self.walk(&mut statement, name, Whole::from(start, range))
    }

    /// The entry that the row with the one after another begins behind.
    fn start(self, connection: &Connection, after: Seq) -> rusqlite::Result<Seq> {
        if after == Seq::ZERO {
            return Ok(after);
        }
        Ok(self.last_key(connection, after)?.map_or(Seq::ZERO, Self::number))
    }

    fn walk(
        self,
        statement: &mut CachedStatement<'_>,
        name: &Name,
        mut whole: Whole,
    ) -> Result<Whole, Error> {
        let failed = |error| name.sqlite("reading a journal", &error);
        let keys = [self.key(whole.range.after) + 1, self.key(Seq(LAST))];
        let mut rows = statement.query(keys).map_err(failed)?;
        let mut buffer = RowBuffer::after(whole.last());
        loop {
            let gathered = gather(&mut rows, &mut buffer, whole.range).map_err(failed)?;
            whole.take(buffer.decode());
            match gathered {
                _ if whole.ends_early() => return Ok(whole),
                Gathered::Full => {}
                Gathered::All => return Ok(whole),
                Gathered::Range => return Ok(Whole { goes_on: true, ..whole }),
                Gathered::UpToDamage(reason) => {
                    let damage = Some(Damage { reason, kept: Vec::new() });
                    return Ok(Whole { damage, ..whole });
                }
            }
        }
    }
}

/// How far rows were read.
enum Gathered {
    /// Until the buffer was full.
    Full,
    /// Until the range was; there are more.
    Range,
    All,
    /// Up to a row that the file has damaged.
    UpToDamage(String),
}

/// Reads rows into a buffer.
fn gather(
    rows: &mut rusqlite::Rows<'_>,
    buffer: &mut RowBuffer,
    range: Range,
) -> rusqlite::Result<Gathered> {
    while !buffer.is_full() {
        let count = buffer.last().0.saturating_sub(range.after.0);
        let is_full = usize::try_from(count).unwrap_or(usize::MAX) >= range.limit;
        let read = match rows.next() {
            Ok(None) => return Ok(Gathered::All),
            Ok(Some(_)) if is_full => return Ok(Gathered::Range),
            Ok(Some(row)) => lines(row),
            Err(error) => Err(error),
        };
        match read {
            Ok((last, lines)) => buffer.push(last, lines),
            Err(error) if fault::is_damage(&error) => {
                return Ok(Gathered::UpToDamage(error.to_string()));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Gathered::Full)
}

fn lines<'a>(row: &'a Row<'_>) -> rusqlite::Result<(Seq, &'a [u8])> {
    Ok((Rows::number(row.get(0)?), row.get_ref(1)?.as_bytes().unwrap_or_default()))
}

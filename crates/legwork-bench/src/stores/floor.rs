//! The bare writes of what a store writes: what one would write by hand for the same bytes.
//!
//! They are as durable as the store is: each insert is synced when it returns. They have neither
//! claims nor lists nor an inbox, and check nothing.

use std::{
    fs::{File, OpenOptions},
    io::Write as _,
    path::Path,
    sync::Arc,
};

use redis::aio::MultiplexedConnection;
use rusqlite::params;
use sqlx::{Connection as _, PgConnection};

use super::{Kind, Place, place::connected, tape::Batch};
use crate::{error::Error, subject::legwork::fail};

/// A table, a file or a stream without anything around it.
pub(crate) enum Floor {
    /// A list.
    Memory(Vec<Arc<Row>>),
    /// A table, written by one transaction for each row.
    Sqlite(rusqlite::Connection),
    /// A file to which is appended.
    Jsonl(File),
    /// A table, written by one prepared statement for each row.
    Postgres(Box<PgConnection>),
    /// A stream, to which the entries of a row are added in one transaction.
    Redis(MultiplexedConnection),
}

/// What one append writes.
#[derive(Debug)]
pub(crate) struct Row {
    last: i64,
    at: i64,
    /// Its entries, each as JSON.
    entries: Vec<Vec<u8>>,
    /// The same, one a line.
    lines: Vec<u8>,
}

impl Row {
    /// The row of an append.
    pub(crate) fn of(batch: &Batch) -> Result<Arc<Self>, Error> {
        let encoded = batch.iter().map(|entry| entry.encode());
        let entries = encoded.collect::<Result<Vec<_>, _>>().map_err(Error::json("an entry"))?;
        let mut lines = entries.join(&b'\n');
        lines.push(b'\n');
        let last = batch.last().map_or((0, 0), |entry| (entry.seq.0, entry.at.0));
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        Ok(Arc::new(Self { last: number(last.0), at: number(last.1), entries, lines }))
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.lines.len()
    }

    /// The number of its last entry, when that was made, and its lines.
    pub(crate) fn columns(&self) -> (i64, i64, &[u8]) {
        (self.last, self.at, &self.lines)
    }
}

impl Floor {
    /// An empty one beside a store.
    pub(crate) async fn beside(place: &Place, dir: &Path) -> Result<Self, Error> {
        Ok(match place.kind() {
            Kind::Memory => Self::Memory(Vec::new()),
            Kind::Sqlite => Self::Sqlite(sqlite(&dir.join("floor.db")).map_err(fail)?),
            Kind::Jsonl => {
                let file = OpenOptions::new().create(true).append(true).open(dir.join("floor"));
                Self::Jsonl(file.map_err(Error::io("opening a file for bare writes"))?)
            }
            Kind::Postgres => {
                let mut connection = PgConnection::connect(place.address()).await.map_err(fail)?;
                let table = "CREATE TABLE floor (session bigint NOT NULL, last bigint NOT NULL,
                    at bigint NOT NULL, entries bytea NOT NULL, PRIMARY KEY (session, last))";
                sqlx::query(table).execute(&mut connection).await.map_err(fail)?;
                Self::Postgres(Box::new(connection))
            }
            Kind::Redis => Self::Redis(connected(place.address()).await?),
        })
    }

    /// Adds rows without waiting for the disk, as many as the store has.
    pub(crate) async fn fill(&mut self, rows: &[Arc<Row>]) -> Result<(), Error> {
        self.sync_postgres("off").await?;
        for row in rows {
            self.insert(row).await?;
        }
        self.sync_postgres("on").await
    }

    async fn sync_postgres(&mut self, when: &str) -> Result<(), Error> {
        let Self::Postgres(connection) = self else { return Ok(()) };
        let set = sqlx::query("SELECT set_config('synchronous_commit', $1, false)").bind(when);
        set.execute(&mut **connection).await.map(drop).map_err(fail)
    }

    /// Adds a row; durable when it returns.
    pub(crate) async fn insert(&mut self, row: &Arc<Row>) -> Result<(), Error> {
        let (last, at, lines) = row.columns();
        match self {
            Self::Memory(rows) => {
                rows.push(Arc::clone(row));
                Ok(())
            }
            Self::Sqlite(connection) => connection
                .prepare_cached(
                    "INSERT INTO journal (session, last, at, entries) VALUES (1, ?, ?, ?)",
                )
                .and_then(|mut insert| insert.execute(params![last, at, lines]))
                .map(drop)
                .map_err(fail),
            Self::Jsonl(file) => file
                .write_all(lines)
                .and_then(|()| file.sync_data())
                .map_err(Error::io("a bare write")),
            Self::Postgres(connection) => {
                let insert =
                    "INSERT INTO floor (session, last, at, entries) VALUES (1, $1, $2, $3)";
                let insert = sqlx::query(insert).bind(last).bind(at).bind(lines);
                insert.execute(&mut **connection).await.map(drop).map_err(fail)
            }
            Self::Redis(connection) => {
                let mut pipe = redis::pipe();
                pipe.atomic();
                for entry in &row.entries {
                    pipe.cmd("XADD").arg("floor").arg("*").arg("e").arg(entry).ignore();
                }
                pipe.query_async(connection).await.map_err(fail)
            }
        }
    }
}

/// A table in a file of its own, with a log that each transaction syncs.
fn sqlite(path: &Path) -> rusqlite::Result<rusqlite::Connection> {
    let connection = rusqlite::Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch(
        "CREATE TABLE journal (session INTEGER NOT NULL, last INTEGER NOT NULL,
            at INTEGER NOT NULL, entries BLOB NOT NULL, PRIMARY KEY (session, last)) WITHOUT ROWID",
    )?;
    Ok(connection)
}

//! Commits changes: one transaction each, or one for several.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use legwork_port::store::Error;
use rusqlite::Connection;

use super::connect::{Connected, Hurry};
use super::fault;
use crate::name::Name;

/// From this many frames on, the log is copied into the file when a claim is released. That takes
/// syncs of its own, so no append does it. It is some 350 steps, and the next process reads a log
/// of this length within 2 ms.
const LONG_LOG: i64 = 1536;

/// Leaves what is deleted where it is: every change would pay for overwriting it.
const KEEPING: &str = "PRAGMA secure_delete = OFF";

/// When a change must survive a loss of power; the death of a process undoes none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Synced {
    /// Together with the next change that is synced now.
    ///
    /// For a claim's token: what is done under it begins with an append, and a loss of
    /// power before that ends all who could know the token.
    WithNext,
    /// Before it is answered.
    Now,
}

impl Synced {
    fn pragma(self) -> &'static str {
        match self {
            Self::WithNext => "PRAGMA synchronous = NORMAL",
            Self::Now => "PRAGMA synchronous = FULL",
        }
    }
}

/// A change of the store.
///
/// It may be run more than once, each time on a store that it has not changed yet.
pub(super) trait Job: Send {
    fn sync(&self) -> Synced;
    /// Whether its caller has stopped waiting. Then it is not made: later changes may have been
    /// committed before it.
    fn abandoned(&self) -> bool;
    fn run(&mut self, transaction: &Connection) -> Result<(), Error>;
    /// Called once its last run is durable.
    fn done(self: Box<Self>);
    /// Called when nothing of it was kept.
    fn failed(self: Box<Self>, error: Error);
}

/// What became of the log.
enum Log {
    Emptied,
    InUse,
}

#[derive(Default)]
pub(super) struct Counts {
    pub(super) commits: AtomicU64,
    pub(super) bytes: AtomicU64,
}

/// A transaction that is rolled back, unless it was committed: neither an error nor a panic
/// leaves it open, for it keeps all other writers out.
struct Open<'c>(&'c Connection);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // After some errors SQLite has rolled back by itself.
        if !self.0.is_autocommit() {
            // What cannot be rolled back was never committed either.
            let _ = self.0.execute("ROLLBACK", ());
        }
    }
}

pub(super) struct Committer {
    name: Name,
    connection: Connection,
    hurry: Hurry,
    counts: Arc<Counts>,
    /// How the connection syncs, once that was said.
    sync: Option<Synced>,
}

impl Committer {
    pub(super) fn new(name: Name, connected: Connected, counts: Arc<Counts>) -> Self {
        let Connected { connection, hurry, .. } = connected;
        Self { name, connection, hurry, counts, sync: None }
    }

    #[cfg(test)]
    pub(super) fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Reads something without waiting for a lock.
    pub(super) fn ask<T>(&self, question: impl FnOnce(&Connection, &Name) -> T) -> T {
        self.hurry.hurried(|| question(&self.connection, &self.name))
    }

    /// Commits a change, or returns it if another process is writing.
    pub(super) fn at_once(&mut self, job: Box<dyn Job>) -> Option<Box<dyn Job>> {
        let hurry = self.hurry.clone();
        match hurry.hurried(|| self.begin_raw(job.sync())) {
            Err(error) if fault::is_busy(&error) => return Some(job),
            begun => self.carry_out(begun, job),
        }
        None
    }

    pub(super) fn alone(&mut self, job: Box<dyn Job>) {
        if job.abandoned() {
            return;
        }
        let begun = self.begin_raw(job.sync());
        self.carry_out(begun, job);
    }

    fn carry_out(&mut self, begun: rusqlite::Result<()>, mut job: Box<dyn Job>) {
        match self.transact(begun, |_| self.run(job.as_mut())) {
            Ok(()) => job.done(),
            Err(error) => job.failed(error),
        }
    }

    /// Runs a change in the transaction that was begun, if somebody waits for it.
    ///
    /// Who gave up while the transaction could not begin has given its lock back, too: others
    /// may have claimed the session since, and a token that rises now would end their claim.
    fn run(&self, job: &mut dyn Job) -> Result<(), Error> {
        if job.abandoned() { Err(self.unwanted()) } else { job.run(&self.connection) }
    }

    fn unwanted(&self) -> Error {
        self.name.failed("nobody waits for it any more")
    }

    /// Commits a change in the transaction that was begun, or rolls it back.
    fn transact(
        &self,
        begun: rusqlite::Result<()>,
        change: impl FnOnce(&Connection) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let before = self.connection.total_changes();
        let _open = Open(&self.connection);
        begun.map_err(|error| self.failed(&error))?;
        change(&self.connection)?;
        self.execute("COMMIT")?;
        self.count(before);
        Ok(())
    }

    /// Commits a change that deletes, overwriting what it deletes. [`Committer::scrub`] comes
    /// next if it succeeds.
    pub(super) fn delete(
        &mut self,
        abandoned: impl FnOnce() -> bool,
        change: impl FnOnce(&Connection) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // Should the rewriting fail later, zeros are there.
        self.overwrites("PRAGMA secure_delete = ON")?;
        let begun = self.begin_raw(Synced::Now);
        let deleted = self.transact(begun, |transaction| {
            if abandoned() {
                return Err(self.unwanted());
            }
            change(transaction)
        });
        if deleted.is_err() {
            let _ = self.overwrites(KEEPING);
        }
        deleted
    }

    fn overwrites(&self, pragma: &'static str) -> Result<(), Error> {
        self.connection.query_row(pragma, (), |_| Ok(())).map_err(|error| self.failed(&error))
    }

    /// Copies a long log into the file. What fails is done another time: nothing is lost.
    pub(super) fn tidy(&self) {
        let waiting =
            self.connection.prepare_cached("PRAGMA wal_checkpoint(NOOP)").and_then(|mut look| {
                look.query_row((), |row| Ok(row.get::<_, i64>(1)? - row.get::<_, i64>(2)?))
            });
        if waiting.is_ok_and(|frames| frames >= LONG_LOG) {
            // Emptied too, for the next process reads it anew from its start.
            let empty =
                || self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()));
            let _ = self.hurry.hurried(empty);
        }
    }

    /// Writes the whole file anew and empties the log, so that nothing deleted is in them.
    ///
    /// SQLite moves rows about as pages fill up and leaves the old places as they are, so
    /// overwriting what is deleted does not reach every copy of it.
    pub(super) fn scrub(&mut self) -> Result<(), Error> {
        // The next change says again how it syncs.
        self.sync = None;
        let result = self.rewrite();
        let _ = self.overwrites(KEEPING);
        match result {
            Ok(Log::Emptied) => Ok(()),
            Ok(Log::InUse) => Err(self.name.failed("emptying its log: another process reads it")),
            Err(error) => Err(self.name.sqlite("writing it anew", &error)),
        }
    }

    fn rewrite(&self) -> rusqlite::Result<Log> {
        self.connection.execute_batch("PRAGMA synchronous = FULL; VACUUM")?;
        let truncate = "PRAGMA wal_checkpoint(TRUNCATE)";
        let busy = self.connection.query_row(truncate, (), |row| row.get::<_, bool>(0))?;
        Ok(if busy { Log::InUse } else { Log::Emptied })
    }

    /// Commits changes in one transaction and answers them, or returns them all undone.
    pub(super) fn together(&mut self, mut group: Vec<Box<dyn Job>>) -> Vec<Box<dyn Job>> {
        let before = self.connection.total_changes();
        let sync = group.iter().map(|job| job.sync()).max().unwrap_or(Synced::Now);
        if let Err(error) = self.begin(sync) {
            // Each of them alone would wait as long again, for the same lock.
            let words = error.to_string();
            group.into_iter().for_each(|job| job.failed(self.name.failed(words.as_str())));
            return Vec::new();
        }
        let mut results = Vec::with_capacity(group.len());
        // Without a caller that waits, they need not be made.
        group.retain(|job| !job.abandoned());
        let _open = Open(&self.connection);
        for job in &mut group {
            match self.in_savepoint(job.as_mut()) {
                Ok(result) => results.push(result),
                Err(_) => return group,
            }
        }
        if self.execute("COMMIT").is_err() {
            // It may be one large change that finds no room: each is tried alone.
            return group;
        }
        self.count(before);
        for (job, result) in group.into_iter().zip(results) {
            match result {
                Ok(()) => job.done(),
                Err(error) => job.failed(error),
            }
        }
        Vec::new()
    }

    /// Runs one change of several; an outer error means that the transaction is lost.
    fn in_savepoint(&self, job: &mut dyn Job) -> Result<Result<(), Error>, Error> {
        self.execute("SAVEPOINT job")?;
        let result = self.run(job);
        if result.is_err() {
            self.execute("ROLLBACK TO job")?;
        }
        self.execute("RELEASE job")?;
        Ok(result)
    }

    fn begin(&mut self, sync: Synced) -> Result<(), Error> {
        self.begin_raw(sync).map_err(|error| self.failed(&error))
    }

    fn begin_raw(&mut self, sync: Synced) -> rusqlite::Result<()> {
        if self.sync != Some(sync) {
            self.sync = None;
            self.execute_raw(sync.pragma())?;
            self.sync = Some(sync);
        }
        self.execute_raw("BEGIN IMMEDIATE")
    }

    fn execute(&self, sql: &'static str) -> Result<(), Error> {
        self.execute_raw(sql).map_err(|error| self.failed(&error))
    }

    fn execute_raw(&self, sql: &'static str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute(()).map(|_| ())
    }

    fn failed(&self, error: &rusqlite::Error) -> Error {
        self.name.sqlite("writing to it", error)
    }

    fn count(&self, changes_before: u64) {
        let changed = self.connection.total_changes() != changes_before;
        if changed && self.sync == Some(Synced::Now) {
            self.counts.commits.fetch_add(1, Ordering::Relaxed);
        }
    }
}

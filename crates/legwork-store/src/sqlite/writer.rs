//! The one place that writes: what waits together is committed together.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use legwork_port::store::Error;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::connect::{Connected, Hurry};
use super::fault::{self, Name};
use super::{Commits, Stats};

/// How many changes may share a transaction.
const GROUP: usize = 256;

/// Frames in the log that a session which comes to rest copies into the file. That takes
/// syncs of its own, so no step does it. It is some 200 steps, and a log that the next
/// process has read within 2 ms.
const LONG_LOG: i64 = 1536;

/// Takes changes, and answers each when it is durable or refused.
pub(super) struct Writer {
    name: Name,
    commits: Commits,
    committer: Arc<Mutex<Committer>>,
    /// The thread, once something waits.
    queue: OnceLock<Queue>,
    counts: Arc<Counts>,
}

/// A thread that commits, and the way to it.
struct Queue {
    asked: Sender<Asked>,
    thread: JoinHandle<()>,
}

enum Asked {
    Change(Box<dyn Job>),
    /// A session came to rest: it is time for what no step shall wait for.
    Tidy,
}

#[derive(Default)]
struct Counts {
    commits: AtomicU64,
    bytes: AtomicU64,
}

/// When a change must be safe from a loss of power; no death of a process undoes it.
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
trait Job: Send {
    fn sync(&self) -> Synced;
    /// Whether nobody waits for it any more. Then it is left: what others asked for
    /// meanwhile may stand already.
    fn abandoned(&self) -> bool;
    fn run(&mut self, transaction: &Connection) -> Result<(), Error>;
    /// Its last run is durable.
    fn done(self: Box<Self>);
    /// Nothing of it was kept.
    fn failed(self: Box<Self>, error: Error);
}

struct Task<T, F> {
    sync: Synced,
    change: F,
    answer: Option<T>,
    reply: oneshot::Sender<Result<T, Error>>,
}

impl<T, F> Job for Task<T, F>
where
    T: Send,
    F: FnMut(&Connection) -> Result<T, Error> + Send,
{
    fn sync(&self) -> Synced {
        self.sync
    }

    fn abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn run(&mut self, transaction: &Connection) -> Result<(), Error> {
        self.answer = Some((self.change)(transaction)?);
        Ok(())
    }

    // Nobody may wait for the answer any more; the change stands all the same.

    fn done(self: Box<Self>) {
        if let Some(answer) = self.answer {
            let _ = self.reply.send(Ok(answer));
        }
    }

    fn failed(self: Box<Self>, error: Error) {
        let _ = self.reply.send(Err(error));
    }
}

impl Writer {
    pub(super) fn new(name: Name, commits: Commits, connected: Connected) -> Self {
        let Connected { connection, hurry, .. } = connected;
        let counts = Arc::<Counts>::default();
        let committer = Committer {
            name: name.clone(),
            connection,
            hurry,
            counts: Arc::clone(&counts),
            sync: None,
        };
        let committer = Arc::new(Mutex::new(committer));
        Self { name, commits, committer, queue: OnceLock::new(), counts }
    }

    /// Runs a change in a transaction and returns its answer when it is committed.
    ///
    /// A change whose future is dropped may happen or not.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        sync: Synced,
        change: impl FnMut(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Task { sync, change, answer: None, reply });
        if let Some(job) = self.at_once(job) {
            self.queue()?.asked.send(Asked::Change(job)).map_err(|_| self.ended())?;
        }
        answer.await.map_err(|_| self.ended())?
    }

    /// A session came to rest.
    pub(super) fn tidy(&self) {
        if let Some(committer) = self.at_hand() {
            return committer.tidy();
        }
        // Without a queue nothing was written, and without a thread another one tidies.
        let _ = self.queue.get().map(|queue| queue.asked.send(Asked::Tidy));
    }

    /// Commits a change here and now, or returns it if that must wait for somebody.
    fn at_once(&self, job: Box<dyn Job>) -> Option<Box<dyn Job>> {
        match self.at_hand() {
            Some(mut committer) => committer.at_once(job),
            None => Some(job),
        }
    }

    /// The committer, if it may be used on this thread and no other has it.
    ///
    /// What is read on its connection is in memory mostly, and no reader waits for writers.
    pub(super) fn at_hand(&self) -> Option<MutexGuard<'_, Committer>> {
        match self.commits {
            Commits::Inline => self.committer.try_lock().ok(),
            Commits::Grouped => None,
        }
    }

    fn queue(&self) -> Result<&Queue, Error> {
        if let Some(queue) = self.queue.get() {
            return Ok(queue);
        }
        let queue = Queue::start(Arc::clone(&self.committer))
            .map_err(|error| self.name.failed(format!("no thread for it: {error}")))?;
        // Of two that were started at once one ends, for nobody can ask it anything.
        Ok(self.queue.get_or_init(|| queue))
    }

    fn ended(&self) -> Error {
        self.name.failed("its writing thread has ended; open it anew")
    }

    pub(super) fn count_bytes(&self, bytes: u64) {
        self.counts.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn stats(&self) -> Stats {
        Stats {
            commits: self.counts.commits.load(Ordering::Relaxed),
            bytes: self.counts.bytes.load(Ordering::Relaxed),
            ..Stats::default()
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if let Some(Queue { asked, thread }) = self.queue.take() {
            drop(asked);
            // It does not panic; and if it did, it told whoever waited.
            let _ = thread.join();
        }
    }
}

impl Queue {
    fn start(committer: Arc<Mutex<Committer>>) -> std::io::Result<Self> {
        let (asked, jobs) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("legwork-store-w".into())
            .spawn(move || work(&jobs, &committer))?;
        Ok(Self { asked, thread })
    }
}

/// Commits what waits, as long as somebody can ask.
fn work(jobs: &Receiver<Asked>, committer: &Mutex<Committer>) {
    while let Ok(first) = jobs.recv() {
        let mut tidy = false;
        let mut group = Vec::new();
        for asked in std::iter::once(first).chain(jobs.try_iter().take(GROUP - 1)) {
            match asked {
                Asked::Change(job) => group.push(job),
                Asked::Tidy => tidy = true,
            }
        }
        let mut committer = committer.lock().unwrap_or_else(PoisonError::into_inner);
        if group.len() > 1 {
            group = committer.together(group);
        }
        group.into_iter().for_each(|job| committer.alone(job));
        if tidy {
            committer.tidy();
        }
    }
}

/// A transaction that a panic shall not leave open, for it keeps all other writers out.
struct Open<'c>(&'c Connection);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit() {
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
    /// Asks something, and waits for nobody.
    pub(super) fn ask<T>(&self, question: impl FnOnce(&Connection, &Name) -> T) -> T {
        self.hurry.hurried(|| question(&self.connection, &self.name))
    }

    /// Commits a change, or returns it if another process is writing.
    fn at_once(&mut self, job: Box<dyn Job>) -> Option<Box<dyn Job>> {
        let hurry = self.hurry.clone();
        match hurry.hurried(|| self.begin_raw(job.sync())) {
            Err(error) if fault::is_busy(&error) => return Some(job),
            begun => self.carry_out(begun, job),
        }
        None
    }

    fn alone(&mut self, job: Box<dyn Job>) {
        if job.abandoned() {
            return;
        }
        let begun = self.begin_raw(job.sync());
        self.carry_out(begun, job);
    }

    fn carry_out(&mut self, begun: rusqlite::Result<()>, mut job: Box<dyn Job>) {
        let before = self.connection.total_changes();
        let _open = Open(&self.connection);
        let result = begun
            .map_err(|error| self.failed(&error))
            .and_then(|()| job.run(&self.connection))
            .and_then(|()| self.execute("COMMIT"));
        match result {
            Ok(()) => {
                self.count(before);
                job.done();
            }
            Err(error) => {
                self.roll_back();
                job.failed(error);
            }
        }
    }

    /// Copies a long log into the file. What fails is done another time: nothing is lost.
    fn tidy(&self) {
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

    /// Commits changes in one transaction and answers them, or returns them all undone.
    fn together(&mut self, mut group: Vec<Box<dyn Job>>) -> Vec<Box<dyn Job>> {
        let before = self.connection.total_changes();
        let sync = group.iter().map(|job| job.sync()).max().unwrap_or(Synced::Now);
        if let Err(error) = self.begin(sync) {
            // Each of them alone would wait as long again, for the same lock.
            let words = error.to_string();
            group.into_iter().for_each(|job| job.failed(self.name.failed(words.as_str())));
            return Vec::new();
        }
        let mut results = Vec::with_capacity(group.len());
        // Nobody asks for what is not answered.
        group.retain(|job| !job.abandoned());
        let _open = Open(&self.connection);
        for job in &mut group {
            match self.in_savepoint(job.as_mut()) {
                Ok(result) => results.push(result),
                Err(_) => {
                    self.roll_back();
                    return group;
                }
            }
        }
        if self.execute("COMMIT").is_err() {
            // It may be one large change that finds no room: each is tried alone.
            self.roll_back();
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
        let result = job.run(&self.connection);
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

    fn roll_back(&self) {
        // After some errors SQLite has rolled back by itself.
        if !self.connection.is_autocommit() {
            // What cannot be rolled back was never committed either.
            let _ = self.execute("ROLLBACK");
        }
    }

    fn count(&self, changes_before: u64) {
        let changed = self.connection.total_changes() != changes_before;
        if changed && self.sync == Some(Synced::Now) {
            self.counts.commits.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;

//! The one thread that writes: what waits together is committed together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use legwork_port::store::Error;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::Stats;
use super::fault::Name;

/// How many changes may share a transaction.
const GROUP: usize = 256;

/// Takes changes, and answers each when it is durable or refused.
pub(super) struct Writer {
    name: Name,
    jobs: Option<Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
    counts: Arc<Counts>,
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
    pub(super) fn start(name: Name, connection: Connection) -> Result<Self, Error> {
        let (sender, receiver) = mpsc::channel();
        let counts = Arc::<Counts>::default();
        let committer =
            Committer { name: name.clone(), connection, counts: Arc::clone(&counts), sync: None };
        let thread = thread::Builder::new()
            .name("legwork-store-w".into())
            .spawn(move || committer.work(&receiver))
            .map_err(|error| name.failed(format!("no thread for it: {error}")))?;
        Ok(Self { name, jobs: Some(sender), thread: Some(thread), counts })
    }

    /// Runs a change in a transaction and returns its answer when it is committed.
    ///
    /// A change whose future is dropped may happen or not.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        sync: Synced,
        change: impl FnMut(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let ended = || self.name.failed("its writing thread has ended; open it anew");
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Task { sync, change, answer: None, reply });
        self.jobs.as_ref().and_then(|jobs| jobs.send(job).ok()).ok_or_else(ended)?;
        answer.await.map_err(|_| ended())?
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
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // It does not panic; and if it did, it told whoever waited.
            let _ = thread.join();
        }
    }
}

struct Committer {
    name: Name,
    connection: Connection,
    counts: Arc<Counts>,
    /// How the connection syncs, once that was said.
    sync: Option<Synced>,
}

impl Committer {
    fn work(mut self, jobs: &Receiver<Box<dyn Job>>) {
        while let Ok(first) = jobs.recv() {
            let mut group = vec![first];
            group.extend(jobs.try_iter().take(GROUP - 1));
            if group.len() > 1 {
                group = self.together(group);
            }
            group.into_iter().for_each(|job| self.alone(job));
        }
    }

    fn alone(&mut self, mut job: Box<dyn Job>) {
        let before = self.connection.total_changes();
        let result = self
            .begin(job.sync())
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
        if self.sync != Some(sync) {
            self.sync = None;
            self.execute(sync.pragma())?;
            self.sync = Some(sync);
        }
        self.execute("BEGIN IMMEDIATE")
    }

    fn execute(&self, sql: &'static str) -> Result<(), Error> {
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(()))
            .map(|_| ())
            .map_err(|error| self.name.sqlite("writing to it", &error))
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

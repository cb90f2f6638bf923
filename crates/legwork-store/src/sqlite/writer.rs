//! The only writer: changes that wait together are committed together.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use legwork_port::store::Error;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::committer::{Committer, Counts, Job, Synced};
use super::connect::Connected;
use super::{Commits, Stats};
use crate::name::Name;

/// How many changes may join the first of a transaction.
const JOINING: usize = 255;

/// Takes changes, and answers each once it is durable or refused.
pub(super) struct Writer {
    name: Name,
    commits: Commits,
    committer: Arc<Mutex<Committer>>,
    /// The thread, once something waits.
    queue: OnceLock<Queue>,
    counts: Arc<Counts>,
}

/// A thread that commits, and its queue.
struct Queue {
    asked: Sender<Asked>,
    thread: JoinHandle<()>,
}

enum Asked {
    Change(Box<dyn Job>),
    /// A claim was released: it is time for work that no append waits for.
    Tidy,
    /// Sessions are removed: delete them, then overwrite what is left of them in the files.
    Erase(Box<dyn FnOnce(&mut Committer) + Send>),
}

type Answer<T> = oneshot::Receiver<Result<T, Error>>;

struct Task<T, F, M> {
    sync: Synced,
    change: F,
    made: M,
    answer: Option<T>,
    reply: oneshot::Sender<Result<T, Error>>,
}

impl<T, F, M> Job for Task<T, F, M>
where
    T: Send,
    F: FnMut(&Connection) -> Result<T, Error> + Send,
    M: FnOnce() + Send,
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

    // The caller may have stopped waiting for the answer; the change is made all the same.

    fn done(self: Box<Self>) {
        (self.made)();
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
        let counts = Arc::<Counts>::default();
        let committer = Committer::new(name.clone(), connected, Arc::clone(&counts));
        let committer = Arc::new(Mutex::new(committer));
        Self { name, commits, committer, queue: OnceLock::new(), counts }
    }

    /// Runs a change in a transaction and returns its answer when it is committed.
    ///
    /// A change whose future is dropped may happen or not. `made` is called where it is
    /// committed, whether or not anyone waits for the answer.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        sync: Synced,
        change: impl FnMut(&Connection) -> Result<T, Error> + Send + 'static,
        made: impl FnOnce() + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Task { sync, change, made, answer: None, reply });
        if let Some(job) = self.at_once(job) {
            self.queue()?.asked.send(Asked::Change(job)).map_err(|_| self.ended())?;
        }
        self.answer(answer).await
    }

    /// What the thread answers, or that it has ended.
    pub(super) async fn answer<T>(&self, answer: Answer<T>) -> Result<T, Error> {
        answer.await.map_err(|_| self.ended())?
    }

    /// Called when a claim was released.
    pub(super) fn tidy(&self) {
        if let Some(committer) = self.at_hand() {
            return committer.tidy();
        }
        // Without a queue nothing was written, and without a thread another one tidies.
        let _ = self.queue.get().map(|queue| queue.asked.send(Asked::Tidy));
    }

    /// Deletes, then leaves nothing in the files of what was deleted.
    ///
    /// The first answer comes when it is deleted, the second when nothing is left; there is
    /// none where deleting failed. Once it is deleted the rest follows, whether or not anyone
    /// waits for it. Always on the thread: it may wait for other processes, and takes its time.
    pub(super) fn erase(
        &self,
        change: impl FnOnce(&Connection) -> Result<(), Error> + Send + 'static,
        made: impl FnOnce() + Send + 'static,
    ) -> Result<(Answer<()>, Answer<()>), Error> {
        let ((reply, deleted), (last_reply, scrubbed)) = (oneshot::channel(), oneshot::channel());
        let erase = move |committer: &mut Committer| {
            if reply.is_closed() {
                return;
            }
            let result = committer.delete(|| reply.is_closed(), change);
            let is_deleted = result.is_ok();
            if is_deleted {
                made();
            }
            let _ = reply.send(result);
            if is_deleted {
                let _ = last_reply.send(committer.scrub());
            }
        };
        self.queue()?.asked.send(Asked::Erase(Box::new(erase))).map_err(|_| self.ended())?;
        Ok((deleted, scrubbed))
    }

    /// Commits a change on this thread, or returns it if that would have to wait.
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
        // Of two that were started at once one ends: its queue is dropped.
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
            // If it panicked, its callers got an error.
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

/// Commits what waits, until the queue is dropped.
fn work(jobs: &Receiver<Asked>, committer: &Mutex<Committer>) {
    while let Ok(first) = jobs.recv() {
        let mut tidy = false;
        let mut erasures = Vec::new();
        let mut group = Vec::new();
        for asked in std::iter::once(first).chain(jobs.try_iter().take(JOINING)) {
            match asked {
                Asked::Change(job) => group.push(job),
                Asked::Tidy => tidy = true,
                Asked::Erase(erase) => erasures.push(erase),
            }
        }
        let mut committer = committer.lock().unwrap_or_else(PoisonError::into_inner);
        if group.len() > 1 {
            group = committer.together(group);
        }
        group.into_iter().for_each(|job| committer.alone(job));
        erasures.into_iter().for_each(|erase| erase(&mut committer));
        if tidy {
            committer.tidy();
        }
    }
}

#[cfg(test)]
mod tests;

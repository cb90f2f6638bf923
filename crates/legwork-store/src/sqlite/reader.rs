//! Reading, on a connection of its own that writers never block.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use legwork_port::store::Error;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::connect::Connector;
use crate::name::Name;

/// Runs reads one after another, on a thread of its own.
pub(super) struct Reader {
    source: Arc<Source>,
    /// The thread, once something was asked.
    queue: OnceLock<Queue>,
}

struct Source {
    name: Name,
    connector: Arc<Connector>,
    /// Opened for the first question.
    connection: Mutex<Option<Connection>>,
}

/// A thread that reads, and its queue.
struct Queue {
    asked: Sender<Job>,
    thread: JoinHandle<()>,
}

type Job = Box<dyn FnOnce(&Source) + Send>;

impl Reader {
    pub(super) fn new(
        name: Name,
        connector: Arc<Connector>,
        connection: Option<Connection>,
    ) -> Self {
        let source = Source { name, connector, connection: Mutex::new(connection) };
        Self { source: Arc::new(source), queue: OnceLock::new() }
    }

    /// Reads from one snapshot of the store.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection, &Name) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let ended = || self.source.name.failed("its reading thread has ended; open it anew");
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |source| {
            // The caller may have stopped waiting.
            if !reply.is_closed() {
                let _ = reply.send(source.ask(question));
            }
        });
        self.queue()?.asked.send(job).map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    fn queue(&self) -> Result<&Queue, Error> {
        if let Some(queue) = self.queue.get() {
            return Ok(queue);
        }
        let queue = Queue::start(Arc::clone(&self.source))
            .map_err(|error| self.source.name.failed(format!("no thread for it: {error}")))?;
        // Of two that were started at once one ends: its queue is dropped.
        Ok(self.queue.get_or_init(|| queue))
    }
}

impl Source {
    fn ask<T>(
        &self,
        question: impl FnOnce(&Connection, &Name) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut opened = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match opened.take() {
            Some(connection) => connection,
            None => self.connector.reader()?,
        };
        let connection = opened.insert(connection);
        let failed = |error| self.name.sqlite("reading it", &error);
        // Ends when it is dropped; until then nothing that is read changes.
        let _moment = connection.unchecked_transaction().map_err(failed)?;
        question(connection, &self.name)
    }
}

impl Queue {
    fn start(source: Arc<Source>) -> std::io::Result<Self> {
        let (asked, jobs) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("legwork-store-r".into())
            .spawn(move || work(&jobs, &source))?;
        Ok(Self { asked, thread })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(Queue { asked, thread }) = self.queue.take() {
            drop(asked);
            // If it panicked, its callers got an error.
            let _ = thread.join();
        }
    }
}

fn work(jobs: &Receiver<Job>, source: &Source) {
    while let Ok(job) = jobs.recv() {
        job(source);
    }
}

#[cfg(test)]
mod tests;

//! Threads for what blocks: files are written, synced and read there.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use legwork_port::store::Error;
use tokio::sync::oneshot;

use super::lock::Wait;
use super::refused::Refused;
use crate::name::Name;

type Job = Box<dyn FnOnce() + Send>;

/// A few threads, each made when it is needed.
#[derive(Debug)]
pub(super) struct Workers {
    name: Name,
    /// The name of a thread.
    thread: &'static str,
    most: usize,
    /// Whether a job is tried on the caller's thread first.
    inline: bool,
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    idle: usize,
    closed: bool,
}

impl Workers {
    pub(super) fn new(name: Name, thread: &'static str, most: usize, inline: bool) -> Self {
        let (shared, threads) = (Arc::default(), Mutex::default());
        Self { name, thread, most, inline, shared, threads }
    }

    /// Does something that blocks.
    ///
    /// A job that did not begin when its future is dropped is not done; one that did is done to
    /// its end.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        mut job: impl FnMut(Wait) -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Error> {
        if self.inline {
            match job(Wait::No) {
                Err(Refused::Busy(_)) => {}
                done => return Ok(done?),
            }
        }
        let (reply, answer) = oneshot::channel();
        let job = move || {
            if !reply.is_closed() {
                let done = job(Wait::Yes).map_err(Error::from);
                // Who gets the answer finds free what the job held.
                drop(job);
                let _ = reply.send(done);
            }
        };
        self.add(Box::new(job))
            .map_err(|error| self.name.failed(format!("no thread for it: {error}")))?;
        // A job that panicked gives no answer.
        answer.await.map_err(|_| Error::Panicked { message: "a thread of the store".to_owned() })?
    }

    fn add(&self, job: Job) -> io::Result<()> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let mut queue = self.shared.lock();
        if queue.jobs.len() >= queue.idle && threads.len() < self.most {
            let shared = Arc::clone(&self.shared);
            let thread = thread::Builder::new().name(self.thread.into());
            match thread.spawn(move || shared.work()) {
                Ok(thread) => threads.push(thread),
                Err(error) if threads.is_empty() => return Err(error),
                // Those that there are do it, one after another.
                Err(_) => {}
            }
        }
        queue.jobs.push_back(job);
        drop(queue);
        self.shared.changed.notify_one();
        Ok(())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does jobs until the queue is closed and empty.
    fn work(&self) {
        let mut queue = self.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                // What panics is answered as such, and ends no other job.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                queue = self.lock();
            } else if queue.closed {
                return;
            } else {
                queue.idle += 1;
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
                queue.idle -= 1;
            }
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
        let threads = self.threads.get_mut().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("jobs", &self.jobs.len()).finish_non_exhaustive()
    }
}

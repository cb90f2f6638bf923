//! The lock of a session's files, which is held for one operation.
//!
//! A claim is another lock, held as long as a run. This one orders appends, posts and removals of
//! one session, and a reader holds it, shared, while it looks where the files end.

use std::fs::{File, TryLockError};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long an operation waits for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    No,
    Yes,
}

/// How long this store waits for other processes, and whether it closes: then not at all.
#[derive(Debug)]
pub(super) struct Waiting {
    patience: Duration,
    closing: AtomicBool,
}

impl Waiting {
    pub(super) fn new(patience: Duration) -> Self {
        Self { patience, closing: AtomicBool::new(false) }
    }

    pub(super) fn end(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    /// Tries something until it gives a result: at once, then after ever longer pauses.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if it gave none.
    fn until<T>(
        &self,
        wait: Wait,
        mut attempt: impl FnMut() -> io::Result<Option<T>>,
    ) -> io::Result<T> {
        let begun = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(found) = attempt()? {
                return Ok(found);
            }
            let over = begun.elapsed() >= self.patience || self.closing.load(Ordering::Relaxed);
            if wait == Wait::No || over {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            thread::sleep(pause);
            pause = (pause * 5 / 4).min(Duration::from_millis(10));
        }
    }

    /// Locks a file for one writer.
    pub(super) fn exclusive(&self, file: &Arc<File>, wait: Wait) -> io::Result<Locked> {
        self.until(wait, || taken(file.try_lock(), file))
    }

    /// Locks a file for readers.
    pub(super) fn shared(&self, file: &Arc<File>, wait: Wait) -> io::Result<Locked> {
        self.until(wait, || taken(file.try_lock_shared(), file))
    }
}

fn taken(locked: Result<(), TryLockError>, file: &Arc<File>) -> io::Result<Option<Locked>> {
    match locked {
        Ok(()) => Ok(Some(Locked(Arc::clone(file)))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// A file that is locked until this is dropped.
#[derive(Debug)]
pub(super) struct Locked(Arc<File>);

impl Drop for Locked {
    fn drop(&mut self) {
        // A child process may have the file open too for a moment: closing alone is not enough.
        let _ = self.0.unlock();
    }
}

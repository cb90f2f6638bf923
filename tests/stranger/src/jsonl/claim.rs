//! The right to write one session's journal.

use std::fs::{File, TryLockError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use legwork_port::core::{Entry, Fence, Seq, SessionId};
use legwork_port::store::{Appended, Batch, Error, Holder, Loss};
use legwork_port::{BoxFuture, Claim};

use super::Jsonl;
use super::file::{self, Writing};
use super::log::{Line, Log};

/// A claim that is held: a lock, and the number that the file knows as the newest.
pub(super) struct Held {
    store: Jsonl,
    session: SessionId,
    fence: Fence,
    /// What was read of the file, so that an append reads only what others added since.
    log: Mutex<Log>,
    lock: File,
}

impl Held {
    /// Takes the claim of a session, or says that somebody has it.
    pub(super) fn take(store: Jsonl, session: SessionId) -> Result<Self, Error> {
        let opened = file::options().open(store.claim_file(&session));
        let lock = opened.map_err(|error| store.failed("opening the claim's file", error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Held { session, by: Holder::Unknown });
            }
            Err(TryLockError::Error(error)) => return Err(store.failed("taking the claim", error)),
        }
        let (mut writing, mut log) = store.write(&session)?;
        let fence = Fence(log.fence.0 + 1);
        let added = writing.add(&mut log, &Line::Claimed(fence));
        added.map_err(|error| store.failed("taking the claim", error))?;
        Ok(Self { store, session, fence, log: Mutex::new(log), lock })
    }

    fn add(&self, expected: Seq, batch: &Batch<'_>) -> Result<Appended, Error> {
        self.check_numbers(expected, batch.entries)?;
        let failed = |error| self.store.failed("appending entries", error);
        // What the file holds is read before it is added to, so this is whole in any case.
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let mut writing = Writing::open(&self.store.file(&self.session)).map_err(failed)?;
        writing.catch_up(&mut log).map_err(failed)?;
        self.check_fence(&log)?;
        if let Some(unreadable) = &log.unreadable {
            return Err(unreadable.clone().refuses(&self.session));
        }
        let last = log.last();
        if last != expected {
            return Err(Error::Moved { session: self.session.clone(), expected, found: last });
        }
        if batch.seen.is_some_and(|seen| log.cursor() > seen) {
            return Err(Error::NewItems { session: self.session.clone(), inbox: log.cursor() });
        }
        if !batch.entries.is_empty() || batch.summary.is_some() {
            writing.add(&mut log, &Line::Appended(batch)).map_err(failed)?;
        }
        Ok(Appended::new(log.cursor()))
    }

    fn check_fence(&self, log: &Log) -> Result<(), Error> {
        match log.fence == self.fence {
            true => Ok(()),
            false => Err(Error::Lost { session: self.session.clone(), cause: Loss::Claimed }),
        }
    }

    fn check_numbers(&self, expected: Seq, entries: &[Arc<Entry>]) -> Result<(), Error> {
        let mut last = expected;
        for entry in entries {
            if entry.seq != last.next() {
                let error = format!("entry {} cannot follow entry {last}", entry.seq);
                return Err(self.store.failed("appending entries", error));
            }
            last = entry.seq;
        }
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // Closing it would not do while a child that is just being made has it, too.
        let _ = self.lock.unlock();
    }
}

impl Claim for Held {
    fn fence(&self) -> Fence {
        self.fence
    }

    fn append<'a>(
        &'a self,
        expected: Seq,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        Box::pin(async move { self.add(expected, &batch) })
    }

    // The lock holds as long as the process lives.
    fn renew_every(&self) -> Option<Duration> {
        None
    }

    fn renew(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async { self.check_fence(&self.store.log(&self.session)?) })
    }

    fn release(self: Box<Self>) -> BoxFuture<'static, Result<(), Error>> {
        Box::pin(async move {
            let released = self.lock.unlock();
            released.map_err(|error| self.store.failed("giving a claim back", error))
        })
    }
}

//! The right to write one session's journal.

use std::sync::Arc;
use std::time::Duration;

use legwork_core::{Entry, Fence, Seq, SessionId};
use legwork_port::BoxFuture;
use legwork_port::store::{Appended, Batch, Error, Loss};
use rusqlite::Connection;
use tracing::{debug, trace, warn};

use super::Inner;
use super::committer::Synced;
use super::update::{self, Append, Taken, Written};
use crate::lock::Lock;
use crate::name::{Name, lost};

/// A lock of the operating system, and the token that the file knows as the newest.
pub(super) struct Claim {
    /// Held as long as it lives.
    lock: Option<Lock>,
    store: Arc<Inner>,
    session: SessionId,
    taken: Taken,
}

impl Claim {
    pub(super) fn new(store: Arc<Inner>, session: SessionId, taken: Taken, lock: Lock) -> Self {
        debug!(session = session.as_str(), fence = taken.fence.0, "a claim was taken");
        Self { lock: Some(lock), store, session, taken }
    }

    /// Encodes here, so that the one thread that writes has less to do.
    fn encoded(&self, expected: Seq, batch: &Batch<'_>) -> Result<Append, Error> {
        let (name, entries) = (&self.store.name, batch.entries);
        let mut lines = Vec::new();
        let mut last = expected;
        for entry in entries {
            if entry.seq != last.next() {
                let reason = format!("entry {} cannot come after entry {last}", entry.seq);
                return Err(name.failed(reason));
            }
            last = entry.seq;
            let line = entry.encode().map_err(|error| {
                name.failed(format!("entry {last} cannot be written as JSON: {error}"))
            })?;
            if !lines.is_empty() {
                lines.push(b'\n');
            }
            lines.extend_from_slice(&line);
        }
        let time =
            |entry: Option<&Arc<Entry>>| entry.map_or(0, |entry| entry.at.0.min(i64::MAX as u64));
        Ok(Append {
            name: name.clone(),
            session: self.session.clone(),
            taken: self.taken,
            expected,
            last,
            times: (time(entries.first()), time(entries.last())),
            lines,
            summary: batch.summary.cloned(),
            seen: batch.seen,
        })
    }

    async fn append(&self, expected: Seq, batch: Batch<'_>) -> Result<Appended, Error> {
        let append = self.encoded(expected, &batch)?;
        let bytes = append.lines.len() as u64;
        let writer = self.store.writer()?;
        let notify = self.store.notifies(&self.session);
        let written = writer.write(Synced::Now, move |tx| append.run(tx), notify).await;
        let written = written.inspect_err(|error| self.report_lost(error))?;
        self.report_append(batch.entries.len(), bytes, expected, written);
        writer.count_bytes(bytes);
        Ok(written.appended)
    }

    fn report_append(&self, entries: usize, bytes: u64, expected: Seq, written: Written) {
        let session = self.session.as_str();
        if written.cut_damage {
            let last = expected.0;
            warn!(session, last, "damaged rows after the last whole entry were set aside");
        }
        trace!(session, entries, bytes, "entries were appended");
    }

    fn report_lost(&self, error: &Error) {
        if matches!(error, Error::Lost { .. }) {
            let (session, fence) = (self.session.as_str(), self.taken.fence.0);
            warn!(session, fence, "a claim was lost: the session was claimed or removed since");
        }
    }

    /// Checks that no other writer has claimed the session since.
    async fn check(&self) -> Result<(), Error> {
        let taken = self.taken;
        let newest = move |connection: &Connection, name: &Name| {
            update::fence(connection, taken.number)
                .map_err(|error| name.sqlite("looking at a claim", &error))
        };
        match self.store.look(newest).await? {
            Some(fence) if fence == taken.fence => Ok(()),
            Some(_) => Err(lost(&self.session, Loss::Claimed)),
            None => Err(lost(&self.session, Loss::Removed)),
        }
    }

    /// Gives it back; whatever else is done then takes its time.
    fn give_back(&mut self) {
        // The session is free before anything else is done that takes time.
        if let (Some(lock), Some(writer)) = (self.lock.take(), &self.store.writer) {
            drop(lock);
            let (session, fence) = (self.session.as_str(), self.taken.fence.0);
            debug!(session, fence, "a claim was released");
            writer.tidy();
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.give_back();
    }
}

impl legwork_port::Claim for Claim {
    fn fence(&self) -> Fence {
        self.taken.fence
    }

    fn append<'a>(
        &'a self,
        expected: Seq,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        Box::pin(self.append(expected, batch))
    }

    // The lock holds as long as the process lives.
    fn renew_every(&self) -> Option<Duration> {
        None
    }

    fn renew(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async { self.check().await.inspect_err(|error| self.report_lost(error)) })
    }

    fn release(mut self: Box<Self>) -> BoxFuture<'static, Result<(), Error>> {
        Box::pin(async move {
            self.give_back();
            Ok(())
        })
    }
}

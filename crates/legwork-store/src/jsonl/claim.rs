//! The right to write one session's journal.

use std::sync::Arc;
use std::time::Duration;

use legwork_core::{Entry, Fence, Seq};
use legwork_port::BoxFuture;
use legwork_port::store::{Appended, Batch, Error};
use tracing::{debug, trace, warn};

use super::Inner;
use super::append::{Append, Written};
use super::batches;
use super::held::Held;

/// A lock of the operating system, and the token that the head knows as the newest.
pub(super) struct Claim {
    held: Arc<Held>,
    store: Arc<Inner>,
}

impl Claim {
    pub(super) fn new(store: Arc<Inner>, held: Held) -> Self {
        debug!(session = held.session.as_str(), fence = held.fence.0, "a claim was taken");
        Self { held: Arc::new(held), store }
    }

    /// Encodes here, so that the threads that write have less to do.
    fn encoded(&self, expected: Seq, batch: &Batch<'_>) -> Result<Append, Error> {
        let (name, entries) = (&self.store.layout.name, batch.entries);
        let (mut lines, mut last) = (Vec::new(), expected);
        for entry in entries {
            if entry.seq != last.next() {
                let reason = format!("entry {} cannot come after entry {last}", entry.seq);
                return Err(name.failed(reason));
            }
            last = entry.seq;
            let line = entry.encode().map_err(|error| {
                name.failed(format!("entry {last} cannot be written as JSON: {error}"))
            })?;
            batches::push_line(&mut lines, &line);
        }
        let time = |entry: Option<&Arc<Entry>>| entry.map_or(0, |entry| entry.at.0);
        let summary = match batch.summary {
            None => None,
            Some(summary) => {
                let json = serde_json::to_vec(summary).map_err(|error| {
                    name.failed(format!("the summary cannot be written as JSON: {error}"))
                })?;
                Some((summary.clone(), json))
            }
        };
        let times = (time(entries.first()), time(entries.last()));
        Ok(Append { expected, last, times, lines, summary, seen: batch.seen })
    }

    async fn append(&self, expected: Seq, batch: Batch<'_>) -> Result<Appended, Error> {
        let append = self.encoded(expected, &batch)?;
        let bytes = append.lines.len() as u64;
        let notify = self.store.notifies(&self.held.session);
        let (layout, held) = (Arc::clone(&self.store.layout), Arc::clone(&self.held));
        let write = move |wait| append.run(&layout, &held, wait).inspect(|_| notify());
        let written = self.store.writers()?.run(write).await;
        let written = written.inspect_err(|error| self.report_lost(error))?;
        self.report_append(batch.entries.len(), bytes, expected, written);
        Ok(written.appended)
    }

    fn report_append(&self, entries: usize, bytes: u64, expected: Seq, written: Written) {
        let session = self.held.session.as_str();
        if written.cut_damage {
            let last = expected.0;
            warn!(session, last, "damage after the last whole entry was set aside");
        }
        trace!(session, entries, bytes, "entries were appended");
    }

    fn report_lost(&self, error: &Error) {
        if matches!(error, Error::Lost { .. }) {
            let (session, fence) = (self.held.session.as_str(), self.held.fence.0);
            warn!(session, fence, "a claim was lost: the session was claimed or removed since");
        }
    }

    /// Checks that no other writer has claimed the session since.
    async fn check(&self) -> Result<(), Error> {
        let (layout, held) = (Arc::clone(&self.store.layout), Arc::clone(&self.held));
        let check = move |wait| held.enter(&layout, wait).map(drop);
        self.store.writers()?.run(check).await
    }

    async fn give_back(self) -> Result<(), Error> {
        let (layout, held) = (Arc::clone(&self.store.layout), Arc::clone(&self.held));
        self.store.writers()?.run(move |wait| held.release(&layout, wait)).await
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // An append that is under way keeps the lock until it has ended.
        let (session, fence) = (self.held.session.as_str(), self.held.fence.0);
        debug!(session, fence, "a claim was released");
    }
}

impl legwork_port::Claim for Claim {
    fn fence(&self) -> Fence {
        self.held.fence
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

    fn release(self: Box<Self>) -> BoxFuture<'static, Result<(), Error>> {
        Box::pin(self.give_back())
    }
}

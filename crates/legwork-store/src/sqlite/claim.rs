//! The right to write one session's journal.

use std::sync::Arc;

use legwork_core::{Entry, Fence, Seq, SessionId};
use legwork_port::BoxFuture;
use legwork_port::store::{Appended, Error};

use super::Inner;
use super::committer::Synced;
use super::lock::Lock;
use super::update::{Append, Taken};

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
        Self { lock: Some(lock), store, session, taken }
    }

    /// Encodes here, so that the one thread that writes has less to do.
    fn encoded(&self, expected: Seq, entries: &[Arc<Entry>]) -> Result<Append, Error> {
        let name = &self.store.name;
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
        })
    }

    async fn append(&self, expected: Seq, entries: &[Arc<Entry>]) -> Result<Appended, Error> {
        let append = self.encoded(expected, entries)?;
        let bytes = append.lines.len() as u64;
        let writer = self.store.writer()?;
        let appended = writer.write(Synced::Now, move |tx| append.run(tx)).await?;
        writer.count_bytes(bytes);
        Ok(appended)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // The session is free before anything else is done that takes time.
        drop(self.lock.take());
        if let Some(writer) = &self.store.writer {
            writer.tidy();
        }
    }
}

impl legwork_port::Claim for Claim {
    fn fence(&self) -> Fence {
        self.taken.fence
    }

    fn append<'a>(
        &'a self,
        expected: Seq,
        entries: &'a [Arc<Entry>],
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        Box::pin(self.append(expected, entries))
    }
}

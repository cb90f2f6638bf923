//! The right to write one session of a memory store.

use std::time::Duration;

use legwork_core::{Fence, Seq, SessionId};
use legwork_port::store::{Appended, Batch, Error, Loss};
use legwork_port::{BoxFuture, Claim};

use crate::MemoryStore;
use crate::store::Kept;

pub(super) struct MemoryClaim {
    store: MemoryStore,
    session: SessionId,
    fence: Fence,
}

impl MemoryClaim {
    pub(super) fn new(store: MemoryStore, session: SessionId, fence: Fence) -> Self {
        Self { store, session, fence }
    }

    fn write(&self, expected: Seq, batch: &Batch<'_>) -> Result<Appended, Error> {
        let mut sessions = self.store.lock();
        let kept = sessions.entry(self.session.clone()).or_default();
        if let Some((unreadable, _)) = &kept.unreadable {
            return Err(unreadable.clone().refuses(&self.session));
        }
        // Who keeps the state says where it stands: a forgetful store believes it once.
        let unknown = if self.store.forgets() { expected } else { Seq::ZERO };
        let at = kept.version.unwrap_or(unknown);
        let session = || self.session.clone();
        if Fence(kept.fence) != self.fence {
            return Err(Error::Lost { session: session(), cause: Loss::Claimed });
        }
        if at != expected {
            return Err(Error::Moved { session: session(), expected, found: at });
        }
        if !(expected.0 + 1..).zip(batch.entries).all(|(number, entry)| entry.seq.0 == number) {
            let (store, reason) = ("memory".to_owned(), format!("entries after {at} have a gap"));
            return Err(Error::Failed { store, reason });
        }
        self.check_seen(kept, batch)?;
        kept.version = batch.entries.last().map(|entry| entry.seq).or(kept.version);
        if !self.store.forgets() {
            kept.entries.extend(batch.entries.iter().cloned());
        }
        if let Some(summary) = batch.summary {
            kept.summary = summary.clone();
        }
        let inbox = kept.last_item();
        drop(sessions);
        self.store.notify(&self.session);
        Ok(Appended::new(inbox))
    }

    /// Refuses a batch whose writer does not know of the last item in the inbox.
    fn check_seen(&self, kept: &mut Kept, batch: &Batch<'_>) -> Result<(), Error> {
        let Some(seen) = batch.seen else { return Ok(()) };
        if self.store.forgets() {
            kept.count_from(seen);
        }
        let inbox = kept.last_item();
        match inbox > seen {
            true => Err(Error::NewItems { session: self.session.clone(), inbox }),
            false => Ok(()),
        }
    }
}

impl Claim for MemoryClaim {
    fn fence(&self) -> Fence {
        self.fence
    }

    fn append<'a>(
        &'a self,
        expected: Seq,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        Box::pin(async move { self.write(expected, &batch) })
    }

    fn renew_every(&self) -> Option<Duration> {
        None
    }

    fn renew(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async { Ok(()) })
    }

    fn release(self: Box<Self>) -> BoxFuture<'static, Result<(), Error>> {
        Box::pin(async move {
            drop(self);
            Ok(())
        })
    }
}

impl Drop for MemoryClaim {
    fn drop(&mut self) {
        let mut sessions = self.store.lock();
        let Some(kept) = sessions.get_mut(&self.session) else { return };
        if Fence(kept.fence) != self.fence {
            return;
        }
        match self.store.forgets() {
            true => drop(sessions.remove(&self.session)),
            false => kept.claimed = false,
        }
    }
}

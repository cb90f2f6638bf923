//! A store in memory in which somebody meddles.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_core::{Entry, Fence, Seq, SessionId};
use legwork_port::store::{Appended, Batch, Error, Loaded, Page, Query, Range, Removal};
use legwork_port::{BoxFuture, Claim, Store};

/// What is done beside what is asked of the store.
pub(crate) trait Meddler: Send + Sync + 'static {
    /// A session was claimed.
    fn claimed(&self, _session: &SessionId, _claim: &Arc<Box<dyn Claim>>) {}

    /// Whether an append never comes to its end.
    fn hangs(&self, _session: &SessionId, _expected: Seq, _entries: &[Arc<Entry>]) -> bool {
        false
    }

    /// A journal was read, and whoever asked has not got it yet.
    fn was_read(&self, _session: &SessionId) {}

    /// An item was left in an inbox.
    fn posted(&self) {}

    /// A claim is about to be given back.
    fn releases(&self, _session: &SessionId) {}
}

#[derive(Clone)]
pub(crate) struct Meddled {
    inner: Arc<dyn Store>,
    meddler: Arc<dyn Meddler>,
}

impl Meddled {
    pub(crate) fn by(meddler: Arc<dyn Meddler>, inner: &MemoryStore) -> Self {
        Self::of(meddler, Arc::new(inner.clone()))
    }

    pub(crate) fn of(meddler: Arc<dyn Meddler>, inner: Arc<dyn Store>) -> Self {
        Self { inner, meddler }
    }
}

struct Meddling {
    session: SessionId,
    claim: Arc<Box<dyn Claim>>,
    meddler: Arc<dyn Meddler>,
}

impl Drop for Meddling {
    fn drop(&mut self) {
        self.meddler.releases(&self.session);
    }
}

impl Claim for Meddling {
    fn fence(&self) -> Fence {
        self.claim.fence()
    }

    fn append<'a>(
        &'a self,
        expected: Seq,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        match self.meddler.hangs(&self.session, expected, batch.entries) {
            true => Box::pin(std::future::pending()),
            false => self.claim.append(expected, batch),
        }
    }

    fn renew_every(&self) -> Option<Duration> {
        self.claim.renew_every()
    }

    fn renew(&self) -> BoxFuture<'_, Result<(), Error>> {
        self.claim.renew()
    }

    // The meddler may have the claim, too.
    fn release(self: Box<Self>) -> BoxFuture<'static, Result<(), Error>> {
        drop(self);
        Box::pin(std::future::ready(Ok(())))
    }
}

impl Store for Meddled {
    fn claim<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Box<dyn Claim>, Error>> {
        Box::pin(async {
            let claim = Arc::new(self.inner.claim(session).await?);
            self.meddler.claimed(session, &claim);
            let (session, meddler) = (session.clone(), Arc::clone(&self.meddler));
            Ok(Box::new(Meddling { session, claim, meddler }) as Box<dyn Claim>)
        })
    }

    fn read<'a>(
        &'a self,
        session: &'a SessionId,
        range: Range,
    ) -> BoxFuture<'a, Result<Loaded, Error>> {
        Box::pin(async move {
            let loaded = self.inner.read(session, range).await?;
            self.meddler.was_read(session);
            Ok(loaded)
        })
    }

    fn sessions<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Page, Error>> {
        self.inner.sessions(query)
    }

    fn post<'a>(
        &'a self,
        session: &'a SessionId,
        key: &'a str,
        item: &'a Item,
    ) -> BoxFuture<'a, Result<Cursor, Error>> {
        Box::pin(async {
            let cursor = self.inner.post(session, key, item).await?;
            self.meddler.posted();
            Ok(cursor)
        })
    }

    fn inbox<'a>(
        &'a self,
        session: &'a SessionId,
        after: Cursor,
    ) -> BoxFuture<'a, Result<Vec<Posted>, Error>> {
        self.inner.inbox(session, after)
    }

    fn remove<'a>(&'a self, sessions: &'a [SessionId]) -> BoxFuture<'a, Result<Removal, Error>> {
        self.inner.remove(sessions)
    }
}

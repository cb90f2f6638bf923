//! Sessions that this process claims for a moment, to deliver something.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use event_listener::Event;
use legwork_core::SessionId;

/// Sessions that are claimed to deliver something to them: a run that finds one of them claimed
/// waits for that.
#[derive(Default)]
pub struct Deliveries {
    inner: Mutex<Inner>,
    ended: Event,
}

#[derive(Default)]
struct Inner {
    under_way: BTreeMap<SessionId, usize>,
    /// How many ever began.
    count: u64,
}

/// A delivery under way; dropping it ends it.
#[must_use]
pub struct UnderWay<'a> {
    deliveries: &'a Deliveries,
    session: &'a SessionId,
}

impl Deliveries {
    /// Begins one.
    pub fn begin<'a>(&'a self, session: &'a SessionId) -> UnderWay<'a> {
        let mut inner = self.lock();
        inner.count += 1;
        *inner.under_way.entry(session.clone()).or_default() += 1;
        UnderWay { deliveries: self, session }
    }

    /// How many ever began.
    pub fn count(&self) -> u64 {
        self.lock().count
    }

    /// Waits until none to a session is under way. False if none was, or began since so many had.
    pub async fn ended(&self, session: &SessionId, since: u64) -> bool {
        let mut waited = self.count() != since;
        loop {
            let ended = self.ended.listen();
            if !self.lock().under_way.contains_key(session) {
                return waited;
            }
            waited = true;
            ended.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let mut inner = self.deliveries.lock();
        if let Some(count) = inner.under_way.get_mut(self.session) {
            *count -= 1;
            if *count == 0 {
                inner.under_way.remove(self.session);
            }
        }
        drop(inner);
        self.deliveries.ended.notify(usize::MAX);
    }
}

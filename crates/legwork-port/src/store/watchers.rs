//! The tasks that wait for changes of sessions.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use event_listener::{Event, listener};
use legwork_core::SessionId;

use crate::BoxFuture;

/// The tasks that wait for changes of sessions, for stores that implement
/// [`Store::watch`](super::Store::watch); clones share them.
///
/// A store calls [`Watchers::notify`] where it makes a change durable, not in the future of
/// the caller, which may be dropped before.
#[derive(Debug, Clone, Default)]
pub struct Watchers(Arc<Sessions>);

/// The sessions that somebody watches.
#[derive(Debug, Default)]
struct Sessions(Mutex<BTreeMap<SessionId, Weak<Watched>>>);

/// A session as long as somebody watches it.
#[derive(Debug)]
struct Watched {
    session: SessionId,
    sessions: Arc<Sessions>,
    changes: AtomicU64,
    changed: Event,
}

impl Watchers {
    /// Without a task that waits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits for the next change of a session from now on. Dropping the future is safe.
    pub fn watch(&self, session: &SessionId) -> BoxFuture<'static, ()> {
        let watched = self.watched(session);
        let seen = watched.changes.load(Ordering::SeqCst);
        Box::pin(async move {
            listener!(watched.changed => changed);
            // It may have changed before this was polled.
            if watched.changes.load(Ordering::SeqCst) == seen {
                changed.await;
            }
        })
    }

    /// Wakes the tasks that wait for a change of a session.
    pub fn notify(&self, session: &SessionId) {
        let watched = self.0.lock().get(session).and_then(Weak::upgrade);
        if let Some(watched) = watched {
            watched.changes.fetch_add(1, Ordering::SeqCst);
            watched.changed.notify(usize::MAX);
        }
    }

    fn watched(&self, session: &SessionId) -> Arc<Watched> {
        let mut sessions = self.0.lock();
        if let Some(watched) = sessions.get(session).and_then(Weak::upgrade) {
            return watched;
        }
        let watched = Arc::new(Watched {
            session: session.clone(),
            sessions: Arc::clone(&self.0),
            changes: AtomicU64::new(0),
            changed: Event::new(),
        });
        sessions.insert(session.clone(), Arc::downgrade(&watched));
        watched
    }
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, Weak<Watched>>> {
        // Nothing panics while it holds the lock, so what it guards is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let mut sessions = self.sessions.lock();
        // Another may have taken its place meanwhile.
        if sessions.get(&self.session).is_some_and(|watched| watched.strong_count() == 0) {
            sessions.remove(&self.session);
        }
    }
}

#[cfg(test)]
mod tests;

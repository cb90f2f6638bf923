//! The order of the writes of each session, within this process.
//!
//! A write is a task of its own, so that it ends whole if its caller's future is dropped. The
//! tasks of one session run one after another, in the order in which they were asked for: an
//! append whose future was dropped never comes after a later append, claim or removal.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::SessionId;
use tokio::sync::oneshot;

/// The turns of all sessions that are written; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Turns(Arc<Mutex<Queues>>);

#[derive(Debug, Default)]
struct Queues {
    /// The last turn of each session that is not over.
    last: BTreeMap<SessionId, Last>,
    /// How many turns were taken.
    taken: u64,
}

#[derive(Debug)]
struct Last {
    number: u64,
    /// Ends when the turn is over.
    over: oneshot::Receiver<()>,
}

/// The turn of a write, which is over when it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    turns: Turns,
    number: u64,
    sessions: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    session: SessionId,
    before: Option<oneshot::Receiver<()>>,
    /// Never sent: dropped when the turn is over.
    _over: oneshot::Sender<()>,
}

impl Turns {
    /// The turn after all that were taken of this session.
    pub(super) fn take(&self, session: &SessionId) -> Turn {
        self.take_all(&BTreeSet::from([session.clone()]))
    }

    /// The turn after all that were taken of these sessions.
    pub(super) fn take_all(&self, sessions: &BTreeSet<SessionId>) -> Turn {
        let mut queues = self.lock();
        queues.taken += 1;
        let number = queues.taken;
        let place = |session: &SessionId| {
            let (sender, over) = oneshot::channel();
            let before = queues.last.insert(session.clone(), Last { number, over });
            let before = before.map(|last| last.over);
            Place { session: session.clone(), before, _over: sender }
        };
        let sessions = sessions.iter().map(place).collect();
        drop(queues);
        Turn { turns: self.clone(), number, sessions }
    }

    fn lock(&self) -> MutexGuard<'_, Queues> {
        // Nothing panics while it holds the lock, so what it guards is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// Waits until the turns before it are over.
    pub(super) async fn begin(&mut self) {
        for place in &mut self.sessions {
            if let Some(before) = place.before.take() {
                let _ = before.await;
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut queues = self.turns.lock();
        for place in &self.sessions {
            if queues.last.get(&place.session).is_some_and(|last| last.number == self.number) {
                queues.last.remove(&place.session);
            }
        }
    }
}

#[cfg(test)]
mod tests;

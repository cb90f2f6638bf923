//! What came of the sessions that a worker ran.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use legwork::agent::Rest;
use legwork::core::SessionId;
use legwork::worker::{Failure, WorkerEvent};

/// What came of the sessions that a worker ran.
#[derive(Debug, Default)]
pub(super) struct Tally(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    /// The sessions that it ran until they rested.
    ran: BTreeSet<SessionId>,
    /// Those that it left between two steps.
    left: BTreeSet<SessionId>,
    failed: bool,
}

impl Tally {
    /// Counts an event.
    pub(super) fn event(&self, event: &WorkerEvent<'_>) {
        let mut counts = self.lock();
        match event {
            WorkerEvent::Rested { session, rest: Rest::Interrupted } => {
                counts.left.insert((*session).clone());
            }
            WorkerEvent::Rested { session, rest } => {
                counts.left.remove(*session);
                counts.ran.insert((*session).clone());
                counts.failed |= **rest == Rest::Failed;
            }
            // It is left to the workers that have its agent.
            WorkerEvent::Failed { failure: Failure::NoAgent(_), .. } => {}
            WorkerEvent::Failed { .. } => counts.failed = true,
            _ => {}
        }
    }

    /// How many sessions were run until they rested.
    pub(super) fn ran(&self) -> u64 {
        self.lock().ran.len() as u64
    }

    /// How many sessions were left between two steps.
    pub(super) fn left(&self) -> u64 {
        self.lock().left.len() as u64
    }

    /// Whether a session failed, or could not be run.
    pub(super) fn has_failed(&self) -> bool {
        self.lock().failed
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

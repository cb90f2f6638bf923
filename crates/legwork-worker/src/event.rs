//! What a worker reports.

use std::time::Duration;

use legwork_agent::Rest;
use legwork_core::SessionId;
use legwork_port::store;

use crate::runner::{Due, Failure};

/// Something that happened in a worker.
#[derive(Debug)]
#[non_exhaustive]
pub enum WorkerEvent<'a> {
    /// It begins to run a session that is due.
    Began(&'a Due),
    /// A session rests.
    Rested {
        /// The session.
        session: &'a SessionId,
        /// What it waits for, or how it ended.
        rest: &'a Rest,
    },
    /// Another process took a session over while this one did not renew its claim, such as while
    /// it was paused. What this one did since is not in the journal.
    TakenOver {
        /// The session.
        session: &'a SessionId,
    },
    /// A session could not be run; the worker leaves it alone for this time.
    Failed {
        /// The session.
        session: &'a SessionId,
        /// Why.
        failure: &'a Failure,
        /// How long it is left alone.
        wait: Duration,
    },
    /// The store could not be asked; the worker tries again after this time.
    StoreFailed {
        /// Why.
        error: &'a store::Error,
        /// When it tries again.
        wait: Duration,
    },
    /// It takes up nothing new, and waits for so many sessions to rest.
    Stopping {
        /// How many it works in.
        sessions: usize,
    },
}

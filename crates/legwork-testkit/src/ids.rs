//! Names that are the same in every run of a test.

use std::sync::atomic::{AtomicU64, Ordering};

use legwork_core::SessionId;
use legwork_port::Ids;

/// Sessions named `session-1`, `session-2` and so on.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl CountingIds {
    /// Makes ids that begin with `session-1`.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Ids for CountingIds {
    fn session(&self) -> SessionId {
        SessionId::from(format!("session-{}", self.0.fetch_add(1, Ordering::Relaxed) + 1))
    }
}

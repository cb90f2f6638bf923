//! Names that are the same in every run of a test.

use std::sync::atomic::{AtomicU64, Ordering};

use legwork_core::SessionId;
use legwork_port::Ids;

/// Sessions named `session-1`, `session-2` and so on.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl CountingIds {
    /// Names from `session-1` on.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Ids for CountingIds {
    fn session(&self) -> SessionId {
        SessionId::from(format!("session-{}", self.0.fetch_add(1, Ordering::Relaxed) + 1))
    }
}

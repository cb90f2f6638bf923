//! The sources of time and of session ids.

use std::time::Duration;

use legwork_core::{Micros, SessionId, Stamp};

use crate::BoxFuture;

/// The source of time; a test can replace it with virtual time.
pub trait Clock: Send + Sync {
    /// The current wall and monotonic time.
    fn now(&self) -> Stamp;

    /// The current monotonic time, for clocks that can read it alone at a lower cost.
    fn mono(&self) -> Micros {
        self.now().mono
    }

    /// Completes when at least this much monotonic time has passed. Cancel-safe.
    ///
    /// Time limits depend on it: it must complete even if other work of the same task is always
    /// ready. On Tokio this takes `tokio::task::unconstrained`, because a sleep is never ready in
    /// a task that has used up its cooperative budget.
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()>;
}

/// The source of session ids; a test can make them predictable.
pub trait Ids: Send + Sync {
    /// An id that no session has.
    fn session(&self) -> SessionId;
}

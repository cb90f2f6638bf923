//! Where time and names come from.

use std::time::Duration;

use legwork_core::{Micros, SessionId, Stamp};

use crate::BoxFuture;

/// Where time comes from; tests turn it by hand.
pub trait Clock: Send + Sync {
    /// Wall and monotonic time now.
    fn now(&self) -> Stamp;

    /// Monotonic time now, for a clock that has it for less than both.
    fn mono(&self) -> Micros {
        self.now().mono
    }

    /// Completes when at least this much monotonic time has passed.
    ///
    /// Time limits depend on it: it completes even next to work of the same task that is
    /// always ready. On Tokio that takes `tokio::task::unconstrained`, because a sleep is
    /// never ready in a task that has used up its budget.
    ///
    /// Dropping the future is safe.
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()>;
}

/// Where names come from; tests make them predictable.
pub trait Ids: Send + Sync {
    /// A name that no session has.
    fn session(&self) -> SessionId;
}

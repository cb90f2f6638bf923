//! Who answers calls that wait, in the process that runs their session.

use std::future::Future;

use legwork_core::AgentState;
use legwork_core::inbox::Answer;
use legwork_core::state::Pending;

use crate::BoxFuture;

/// Answers calls that wait, in the process that runs their session: a terminal, a channel, a
/// policy.
///
/// A function `Fn(Pending, AgentState) -> impl Future<Output = Option<Answer>>` is one. Without an
/// approver, and for a call that it does not answer, the execution rests: any process with access
/// to the store can answer then.
pub trait Approver: Send + Sync {
    /// The answer to a call; none if nobody is there to give one.
    ///
    /// It is asked after the rest of the turn ran and the wait was journaled, for one call after
    /// the other, and again when the session is resumed. The future is dropped when the run is
    /// cancelled or interrupted, or when the call was answered elsewhere. An answer that the
    /// session refuses counts as none.
    fn answer<'a>(
        &'a self,
        pending: &'a Pending,
        state: &'a AgentState,
    ) -> BoxFuture<'a, Option<Answer>>;
}

impl<F, R> Approver for F
where
    F: Fn(Pending, AgentState) -> R + Send + Sync,
    R: Future<Output = Option<Answer>> + Send + 'static,
{
    fn answer<'a>(
        &'a self,
        pending: &'a Pending,
        state: &'a AgentState,
    ) -> BoxFuture<'a, Option<Answer>> {
        Box::pin(self(pending.clone(), state.clone()))
    }
}

//! How the stack calls a hook: begun and polled at once, for nearly all are ready then.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::{Fuse, FutureExt as _};
use legwork_core::AgentState;
use legwork_port::BoxFuture;
use try_lock::TryLock;

use super::{Cx, Error, Handler};

/// What a hook does, as the stack calls it.
pub(super) trait Body: Send + Sync {
    /// Calls the hook and polls it once.
    fn begin<'a>(&'a self, state: AgentState, cx: Cx, task: &mut Context<'_>) -> Begun<'a>;
}

/// A hook that was polled once.
pub(super) enum Begun<'a> {
    /// It ended.
    Ended(Result<AgentState, Error>),
    /// It waits for something.
    Waits(BoxFuture<'a, Result<AgentState, Error>>),
}

impl<H: Handler> Body for H {
    fn begin<'a>(&'a self, state: AgentState, cx: Cx, task: &mut Context<'_>) -> Begun<'a> {
        let mut running = self.handle(state, cx);
        match running.as_mut().poll(task) {
            Poll::Ready(ran) => Begun::Ended(ran),
            Poll::Pending => Begun::Waits(running),
        }
    }
}

/// A closure as a hook, with the memory of its last future for its next one: hooks are called
/// by the dozen in each step, and asking for memory costs more than most of them do.
pub(super) struct Closure<F, R> {
    function: F,
    /// None while a call uses it.
    memory: TryLock<Option<Pin<Box<Fuse<R>>>>>,
}

impl<F, R> Closure<F, R> {
    pub(super) fn new(function: F) -> Self {
        Self { function, memory: TryLock::new(None) }
    }
}

impl<F, R> Body for Closure<F, R>
where
    F: Fn(AgentState, Cx) -> R + Send + Sync + 'static,
    R: Future<Output = Result<AgentState, Error>> + Send + 'static,
{
    fn begin<'a>(&'a self, state: AgentState, cx: Cx, task: &mut Context<'_>) -> Begun<'a> {
        let future = (self.function)(state, cx).fuse();
        // A second call meanwhile, from another run, allocates memory of its own.
        let mut memory = self.memory.try_lock();
        let mut running = match memory.as_mut().and_then(|memory| memory.take()) {
            Some(mut free) => {
                free.set(future);
                free
            }
            None => Box::pin(future),
        };
        let Poll::Ready(ran) = running.as_mut().poll(task) else { return Begun::Waits(running) };
        if let Some(memory) = &mut memory {
            **memory = Some(running);
        }
        Begun::Ended(ran)
    }
}

#[cfg(test)]
mod tests;

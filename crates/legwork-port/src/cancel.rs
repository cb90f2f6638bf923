//! A request to stop that anyone may raise and anyone may wait for.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Waker};

use event_listener::{Event, EventListener, listener};

/// A request to stop; clones share it, children hear their parents.
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    raised: AtomicBool,
    event: Event,
    parent: Option<Cancellation>,
}

impl Cancellation {
    /// One that nobody raised yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that is raised with this one, and can be raised alone.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(Arc::new(Inner { parent: Some(self.clone()), ..Inner::default() }))
    }

    /// Raises it; a second time is nothing.
    pub fn cancel(&self) {
        if !self.0.raised.swap(true, Ordering::SeqCst) {
            self.0.event.notify(usize::MAX);
        }
    }

    /// Whether it, or a parent, was raised.
    pub fn is_cancelled(&self) -> bool {
        self.0.raised.load(Ordering::SeqCst)
            || self.0.parent.as_ref().is_some_and(Self::is_cancelled)
    }

    /// Waits until it, or a parent, is raised. Dropping the future is safe.
    pub async fn cancelled(&self) {
        if self.0.parent.is_some() {
            return Self::wait(&[self], Self::listeners(&[self])).await;
        }
        // One listener needs no memory of its own.
        listener!(self.0.event => wait);
        Self::wait(&[self], [wait]).await;
    }

    /// Waits until it, another one, or a parent of either is raised. Dropping the future is
    /// safe.
    pub async fn cancelled_or(&self, other: &Self) {
        let both = [self, other];
        if both.iter().any(|one| one.0.parent.is_some()) {
            return Self::wait(&both, Self::listeners(&both)).await;
        }
        listener!(self.0.event => wait);
        listener!(other.0.event => other_wait);
        Self::wait(&both, [wait, other_wait]).await;
    }

    /// Listeners of all of these and their parents.
    fn listeners(all: &[&Self]) -> Vec<EventListener> {
        all.iter().flat_map(|one| one.chain()).map(|at| at.0.event.listen()).collect()
    }

    /// Waits for any of these, with listeners of them and their parents.
    ///
    /// It is polled whenever something beside it goes on, as each piece of an answer: for as
    /// long as the same task asks, one look at the flags is enough.
    async fn wait<L: Future + Unpin>(all: &[&Self], mut waits: impl AsMut<[L]>) {
        let mut asked: Option<Waker> = None;
        poll_fn(|cx| {
            if all.iter().any(|one| one.is_cancelled()) {
                return Poll::Ready(());
            }
            if asked.as_ref().is_some_and(|asked| is_same_task(asked, cx.waker())) {
                return Poll::Pending;
            }
            asked = Some(cx.waker().clone());
            let ready = waits.as_mut().iter_mut().any(|wait| Pin::new(wait).poll(cx).is_ready());
            if ready { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |at| at.0.parent.as_ref())
    }
}

/// Whether a waker wakes the task whose waker is held.
///
/// `will_wake` compares addresses of tables that a program may have several copies of, and
/// then never says yes. What a held waker points to is alive, so nothing else is there.
fn is_same_task(held: &Waker, waker: &Waker) -> bool {
    held.will_wake(waker) || (held.data() == waker.data() && !held.data().is_null())
}

#[cfg(test)]
mod tests;

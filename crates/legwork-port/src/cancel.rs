//! A cancellation token.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Waker};

use event_listener::{Event, EventListener, listener};

/// A cancellation token: clones are the same token, a child is cancelled with its parent.
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    raised: AtomicBool,
    /// Whether a task has ever waited for it; if not, there is none to notify.
    awaited: AtomicBool,
    event: Event,
    parent: Option<Cancellation>,
}

impl Cancellation {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that is cancelled together with this one, and can be cancelled alone.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(Arc::new(Inner { parent: Some(self.clone()), ..Inner::default() }))
    }

    /// Cancels it; a second call is a no-op.
    pub fn cancel(&self) {
        // A waiter sets `awaited` before it reads `raised`: one of the two sees the other.
        if !self.0.raised.swap(true, Ordering::SeqCst) && self.0.awaited.load(Ordering::SeqCst) {
            self.0.event.notify(usize::MAX);
        }
    }

    /// Whether it, or a parent, was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.raised.load(Ordering::SeqCst)
            || self.0.parent.as_ref().is_some_and(Self::is_cancelled)
    }

    /// Waits until it, or a parent, is cancelled. Cancel-safe.
    pub async fn cancelled(&self) {
        if self.0.parent.is_some() {
            return Self::wait(&[self], Self::listeners(&[self])).await;
        }
        self.0.awaited.store(true, Ordering::SeqCst);
        // A single listener needs no heap allocation.
        listener!(self.0.event => wait);
        Self::wait(&[self], [wait]).await;
    }

    /// Waits until it, another token, or a parent of either is cancelled. Cancel-safe.
    pub async fn cancelled_or(&self, other: &Self) {
        let both = [self, other];
        if both.iter().any(|one| one.0.parent.is_some()) {
            return Self::wait(&both, Self::listeners(&both)).await;
        }
        both.iter().for_each(|one| one.0.awaited.store(true, Ordering::SeqCst));
        listener!(self.0.event => wait);
        listener!(other.0.event => other_wait);
        Self::wait(&both, [wait, other_wait]).await;
    }

    /// Listeners of these tokens and their parents.
    fn listeners(all: &[&Self]) -> Vec<EventListener> {
        let listen = |at: &Self| {
            at.0.awaited.store(true, Ordering::SeqCst);
            at.0.event.listen()
        };
        all.iter().flat_map(|one| one.chain()).map(listen).collect()
    }

    /// Waits for any of these tokens, with listeners of them and their parents.
    ///
    /// It is polled whenever the same task makes progress elsewhere, for example with each piece
    /// of an answer: until another task polls it, checking the flags is enough.
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

/// Whether a waker wakes the same task as the held one.
///
/// `will_wake` also compares vtable addresses, of which a program may have several copies, and
/// then returns false. The data of a held waker is alive, so no other task is at its address.
fn is_same_task(held: &Waker, waker: &Waker) -> bool {
    held.will_wake(waker) || (held.data() == waker.data() && !held.data().is_null())
}

#[cfg(test)]
mod tests;

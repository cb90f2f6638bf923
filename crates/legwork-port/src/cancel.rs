//! A request to stop that anyone may raise and anyone may wait for.

use std::future::Future as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use event_listener::{Event, listener};

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
            return self.any_cancelled().await;
        }
        // One listener needs no memory of its own.
        listener!(self.0.event => raised);
        if !self.is_cancelled() {
            raised.await;
        }
    }

    async fn any_cancelled(&self) {
        let mut waits: Vec<_> = self.chain().map(|at| at.0.event.listen()).collect();
        if self.is_cancelled() {
            return;
        }
        std::future::poll_fn(|cx| {
            let ready = waits.iter_mut().any(|wait| std::pin::Pin::new(wait).poll(cx).is_ready());
            if ready { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
    }

    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |at| at.0.parent.as_ref())
    }
}

//! The calls of a batch at work.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use legwork_port::BoxFuture;

use crate::executor::body::Ran;

/// The calls of a batch at work, and those that ended and were not recorded yet.
///
/// As a future it polls the calls, so that they go on while something is committed; it is ready
/// when all have ended.
#[derive(Default)]
pub(super) struct Running {
    pub(super) calls: FuturesUnordered<BoxFuture<'static, Ran>>,
    pub(super) ended: Vec<Ran>,
}

impl Running {
    /// Whether no call is at work, and none that ended is left.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.ended.is_empty()
    }

    /// Waits until a call has ended; gives all that have, in call order. They are committed
    /// together.
    pub(super) async fn ended(&mut self) -> Vec<Ran> {
        poll_fn(|cx| {
            let polled = Pin::new(&mut *self).poll(cx);
            if polled.is_pending() && self.ended.is_empty() {
                return Poll::Pending;
            }
            self.ended.sort_by_key(|ran| ran.index);
            Poll::Ready(std::mem::take(&mut self.ended))
        })
        .await
    }
}

impl Future for Running {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Self { calls, ended } = &mut *self;
        loop {
            match calls.poll_next_unpin(cx) {
                Poll::Ready(Some(ran)) => ended.push(ran),
                Poll::Ready(None) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

//! A watch over something that must keep moving.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use legwork_core::Micros;
use legwork_port::{BoxFuture, Clock};

/// Ends waits in which nothing happens for too long.
///
/// One alarm serves many waits: it is set again only when it rings early, so
/// that a chunk costs one look at the clock and no timer.
pub(crate) struct Watch<'c> {
    clock: &'c dyn Clock,
    limit: Duration,
    since: Micros,
    moved: bool,
    alarm: Option<BoxFuture<'static, ()>>,
}

impl<'c> Watch<'c> {
    /// A watch that allows each wait this long.
    pub(crate) fn new(clock: &'c dyn Clock, limit: Duration) -> Self {
        Self { clock, limit, since: Micros::ZERO, moved: true, alarm: None }
    }

    /// Goes on with another limit, counted from now.
    pub(crate) fn set_limit(&mut self, limit: Duration) {
        if limit != self.limit {
            *self = Self::new(self.clock, limit);
        }
    }

    /// Like `work`, but `None` when the limit passes first.
    pub(crate) async fn next<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        poll_fn(|cx| match work.as_mut().poll(cx) {
            Poll::Ready(value) => {
                self.moved = true;
                Poll::Ready(Some(value))
            }
            Poll::Pending => self.poll_limit(cx).map(|()| None),
        })
        .await
    }

    /// Goes on with the time of the wait before: it and `work` are one wait.
    pub(crate) fn same_wait(&mut self) {
        self.moved = false;
    }

    fn poll_limit(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::take(&mut self.moved) {
            self.since = self.clock.now().mono;
            if self.alarm.is_none() {
                self.alarm = Some(self.clock.sleep(self.limit));
            }
        }
        loop {
            if self.alarm.as_mut().is_some_and(|alarm| alarm.as_mut().poll(cx).is_pending()) {
                return Poll::Pending;
            }
            // It may have rung for an earlier wait.
            let spent = Duration::from(self.clock.now().mono.since(self.since));
            let left = self.limit.saturating_sub(spent);
            if left.is_zero() {
                self.alarm = None;
                return Poll::Ready(());
            }
            self.alarm = Some(self.clock.sleep(left));
        }
    }
}

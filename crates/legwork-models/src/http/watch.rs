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
    /// When this wait began; none = when the alarm was set.
    since: Option<Micros>,
    moved: bool,
    alarm: Option<BoxFuture<'static, ()>>,
}

impl<'c> Watch<'c> {
    /// A watch that allows each wait this long.
    pub(crate) fn new(clock: &'c dyn Clock, limit: Duration) -> Self {
        Self { clock, limit, since: None, moved: false, alarm: None }
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
        let moved = std::mem::take(&mut self.moved);
        if self.alarm.is_some() && moved {
            self.since = Some(self.clock.now().mono);
        }
        loop {
            let alarm = self.alarm.get_or_insert_with(|| self.clock.sleep(self.limit));
            if alarm.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            let left = self.left();
            self.alarm = (!left.is_zero()).then(|| self.clock.sleep(left));
            if left.is_zero() {
                return Poll::Ready(());
            }
        }
    }

    /// What is left of this wait when the alarm rings, which may have been set before it.
    fn left(&self) -> Duration {
        let Some(since) = self.since else { return Duration::ZERO };
        self.limit.saturating_sub(self.clock.now().mono.since(since).into())
    }
}

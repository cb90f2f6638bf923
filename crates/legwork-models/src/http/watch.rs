//! A watch over something that must keep moving.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use legwork_core::Micros;
use legwork_port::{BoxFuture, Clock};
use tokio::task::coop::{Unconstrained, unconstrained};

/// How long waits may take; [`Duration::MAX`] means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// One wait.
    pub(crate) wait: Duration,
    /// The time without content.
    pub(crate) silence: Duration,
    /// All of them together.
    pub(crate) whole: Duration,
}

impl Limits {
    /// Limits each wait on its own.
    pub(crate) fn of_wait(wait: Duration) -> Self {
        Self { wait, silence: Duration::MAX, whole: Duration::MAX }
    }
}

/// The limit that passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Late {
    Wait(Duration),
    Silence(Duration),
    Whole(Duration),
}

/// A sleep that ends on time even next to work that is always ready.
///
/// Tokio makes a task's resources pending once it has used up its budget, timers included: a
/// server that sends faster than the client reads would keep the alarm from firing.
type Alarm = Unconstrained<BoxFuture<'static, ()>>;

/// Ends waits in which nothing happens for too long.
///
/// One alarm serves many waits: it is set again only when it rings early, so
/// that a chunk costs one look at the clock and no timer.
pub(crate) struct Watch<'c> {
    clock: &'c dyn Clock,
    limits: Limits,
    /// Whether the limits have changed since the alarm was set.
    changed: bool,
    /// When these limits began to count; none = when the alarm was set.
    began: Option<Micros>,
    /// When this wait began; none = with the limits.
    since: Option<Micros>,
    /// When content last arrived; none = when the limits began.
    received: Option<Micros>,
    moved: bool,
    counts: bool,
    alarm: Option<(Duration, Alarm)>,
}

impl<'c> Watch<'c> {
    /// A watch with these limits.
    pub(crate) fn new(clock: &'c dyn Clock, limits: Limits) -> Self {
        Self {
            clock,
            limits,
            changed: false,
            began: None,
            since: None,
            received: None,
            moved: false,
            counts: false,
            alarm: None,
        }
    }

    /// Goes on with other limits, counted from now.
    pub(crate) fn set_limits(&mut self, limits: Limits) {
        // The alarm is left alone: most answers end before it has to be set again.
        self.changed |= limits != self.limits;
        self.limits = limits;
    }

    /// Like `work`, unless a limit passes first.
    ///
    /// It is pinned by the caller: a future that takes another one has room for it twice.
    ///
    /// # Errors
    /// The limit that passed.
    pub(crate) async fn next<F: Future>(
        &mut self,
        mut work: Pin<&mut F>,
    ) -> Result<F::Output, Late> {
        poll_fn(|cx| match work.as_mut().poll(cx) {
            Poll::Ready(value) => {
                self.moved = true;
                Poll::Ready(Ok(value))
            }
            Poll::Pending => self.poll_limits(cx).map(Err),
        })
        .await
    }

    /// Goes on with the time of the wait before: it and `work` are one wait.
    pub(crate) fn same_wait(&mut self) {
        self.moved = false;
    }

    /// Notes that what arrived last was content.
    pub(crate) fn received(&mut self) {
        self.counts = true;
    }

    fn poll_limits(&mut self, cx: &mut Context<'_>) -> Poll<Late> {
        if self.changed {
            *self = Self::new(self.clock, self.limits);
        }
        let (moved, counts) = (std::mem::take(&mut self.moved), std::mem::take(&mut self.counts));
        if self.alarm.is_some() && (moved || counts) {
            let now = self.clock.now().mono;
            self.since = if moved { Some(now) } else { self.since };
            self.received = if counts { Some(now) } else { self.received };
        }
        loop {
            let (_, alarm) = self.alarm.get_or_insert_with(|| {
                let Limits { wait, silence, whole } = self.limits;
                let first = wait.min(silence).min(whole);
                (first, unconstrained(self.clock.sleep(first)))
            });
            if Pin::new(alarm).poll(cx).is_pending() {
                return Poll::Pending;
            }
            match self.late() {
                Ok(left) => self.alarm = Some((left, unconstrained(self.clock.sleep(left)))),
                Err(late) => {
                    self.alarm = None;
                    return Poll::Ready(late);
                }
            }
        }
    }

    /// The limit that has passed when the alarm fires, else the time until the next one.
    fn late(&mut self) -> Result<Duration, Late> {
        let now = self.clock.now().mono;
        let slept = self.alarm.as_ref().map_or(Duration::ZERO, |(time, _)| *time);
        let began =
            *self.began.get_or_insert_with(|| Micros(now.0.saturating_sub(Micros::from(slept).0)));
        let left = |limit: Duration, since: Option<Micros>| {
            limit.saturating_sub(now.since(since.unwrap_or(began)).into())
        };
        let Limits { wait, silence, whole } = self.limits;
        let lefts = [
            (left(whole, None), Late::Whole(whole)),
            (left(silence, self.received), Late::Silence(silence)),
            (left(wait, self.since), Late::Wait(wait)),
        ];
        match lefts.iter().find(|(left, _)| left.is_zero()) {
            Some((_, late)) => Err(*late),
            None => Ok(lefts.iter().map(|(left, _)| *left).min().unwrap_or_default()),
        }
    }
}

//! Time that a test advances.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use legwork_core::{Micros, Stamp, Timestamp};
use legwork_port::{BoxFuture, Clock};

use crate::watched::Watched;

/// Wall time at which each virtual clock begins: 2023-11-14 22:13:20 UTC.
const EPOCH: u64 = 1_700_000_000_000;

/// A clock that does not move until a test advances it; clones are the same clock.
#[derive(Debug, Clone, Default)]
pub struct VirtualClock(Arc<Watched<Time>>);

#[derive(Debug, Default)]
struct Time {
    mono: Micros,
    made: u64,
    sleepers: BTreeMap<Key, Option<Waker>>,
    auto: bool,
}

/// When a sleeper wakes, and which of several it is.
type Key = (Micros, u64);

impl VirtualClock {
    /// A clock that only [`advance`](Self::advance) moves.
    pub fn new() -> Self {
        Self::default()
    }

    /// A clock that moves to the next sleeper's time when all tasks sleep.
    ///
    /// It only sees sleepers: where something real is waited for as well, such as a server
    /// under a timeout, the timeout comes at once. Use [`new`](Self::new) there.
    pub fn auto() -> Self {
        Self(Arc::new(Watched::new(Time { auto: true, ..Time::default() })))
    }

    /// Moves time on and wakes the sleepers that are due, the earliest first.
    pub fn advance(&self, by: Duration) {
        let wake = self.0.change(|time| {
            time.mono = time.mono.plus(by.into());
            let later = time.sleepers.split_off(&(Micros(time.mono.0 + 1), 0));
            std::mem::replace(&mut time.sleepers, later)
        });
        wake.into_values().flatten().for_each(Waker::wake);
    }

    /// Moves time on to when the first sleeper wakes; nothing if there is no sleeper.
    pub fn skip(&self) {
        let first = self.0.peek(|time| time.sleepers.keys().next().map(|(at, _)| *at));
        let now = self.now().mono;
        if let Some(at) = first {
            self.advance(at.since(now).into());
        }
    }

    /// The number of sleepers.
    pub fn sleepers(&self) -> usize {
        self.0.peek(|time| time.sleepers.len())
    }

    /// Waits until so many sleep, so that advancing the time wakes them.
    pub async fn until_asleep(&self, count: usize) {
        self.0.until(|time| (time.sleepers.len() >= count).then_some(())).await;
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Stamp {
        self.0.peek(|time| Stamp {
            wall: Timestamp(EPOCH.saturating_add(time.mono.0 / 1_000)),
            mono: time.mono,
        })
    }

    fn sleep(&self, length: Duration) -> BoxFuture<'static, ()> {
        let key = self.0.change(|time| {
            time.made += 1;
            let key = (time.mono.plus(length.into()), time.made);
            time.sleepers.insert(key, None);
            key
        });
        Box::pin(Sleep { clock: self.clone(), key, yielded: false })
    }
}

/// One sleeper; dropping it takes it off the clock.
struct Sleep {
    clock: VirtualClock,
    key: Key,
    yielded: bool,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let key = self.key;
        let yielded = std::mem::replace(&mut self.yielded, true);
        let (done, wake) = self.clock.0.change(|time| {
            let first = time.sleepers.first_key_value().map(|(first, _)| *first);
            if time.auto && yielded && first == Some(key) {
                time.mono = time.mono.max(key.0);
            }
            if time.mono >= key.0 {
                return (true, time.leave(key));
            }
            time.sleepers.insert(key, Some(cx.waker().clone()));
            // Let all other tasks go to sleep first, then see which is to wake first.
            (false, (time.auto && !yielded).then(|| cx.waker().clone()))
        });
        wake.into_iter().for_each(Waker::wake);
        if done { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let key = self.key;
        self.clock.0.change(|time| time.leave(key)).into_iter().for_each(Waker::wake);
    }
}

impl Time {
    /// Takes a sleeper off, and says whose turn it is then if the clock moves by itself.
    fn leave(&mut self, key: Key) -> Option<Waker> {
        self.sleepers.remove(&key);
        if !self.auto {
            return None;
        }
        self.sleepers.first_key_value().and_then(|(_, waker)| waker.clone())
    }
}

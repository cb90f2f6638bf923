//! A clock that only the test turns, and one whose time passes by itself.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork_core::{Micros, Stamp, Timestamp};
use legwork_port::{BoxFuture, Clock};
use tokio::sync::watch;

/// Waits below a minute pass at once and are written down; longer ones end only
/// when the test advances the clock. A connection may take as long as it takes, unless a test
/// sets another limit for it.
pub(crate) struct Turned {
    now: watch::Sender<Duration>,
    asleep: watch::Sender<usize>,
    waits: Mutex<Vec<Duration>>,
}

const AT_ONCE: Duration = Duration::from_secs(60);

/// How long a connection may take by default.
const CONNECT: Duration = Duration::from_secs(10);

/// Sunday, 2015-10-18 07:28:00 GMT in milliseconds.
pub(crate) const WALL: u64 = 1_445_153_280_000;

impl Turned {
    pub(crate) fn new() -> Arc<Self> {
        let (now, asleep) = (watch::Sender::new(Duration::ZERO), watch::Sender::new(0));
        Arc::new(Self { now, asleep, waits: Mutex::default() })
    }

    /// The short waits so far.
    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.waits.lock().unwrap().clone()
    }

    /// Waits for a long sleep, then lets the time pass.
    pub(crate) async fn pass(&self, time: Duration) {
        self.asleep.subscribe().wait_for(|asleep| *asleep > 0).await.unwrap();
        self.now.send_modify(|now| *now += time);
    }
}

impl Clock for Turned {
    fn now(&self) -> Stamp {
        let now = *self.now.borrow();
        Stamp { wall: Timestamp(WALL + now.as_millis() as u64), mono: Micros::from(now) }
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        if time == CONNECT {
            return Box::pin(std::future::pending());
        }
        if time < AT_ONCE {
            self.waits.lock().unwrap().push(time);
            self.now.send_modify(|now| *now += time);
            return Box::pin(async {});
        }
        let end = *self.now.borrow() + time;
        let (mut now, asleep) = (self.now.subscribe(), Asleep::new(&self.asleep));
        Box::pin(async move {
            let _asleep = asleep;
            now.wait_for(|now| *now >= end).await.unwrap();
        })
    }
}

/// Counts a long sleep while it lasts.
struct Asleep(watch::Sender<usize>);

impl Asleep {
    fn new(count: &watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count.clone())
    }
}

impl Drop for Asleep {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// A clock whose time passes as soon as nothing else happens: of all that sleep, those that wake
/// first do so at once.
#[derive(Clone, Default)]
pub(crate) struct Lapse(Arc<Mutex<Passed>>);

/// The time that passed, and when what sleeps wakes.
#[derive(Default)]
struct Passed {
    now: Duration,
    ends: Vec<Duration>,
}

/// How often other tasks, and what comes over sockets, have their turn before time passes.
const TURNS: usize = 500;

/// How often what wakes later waits for what wakes before.
const TRIES: usize = 3;

impl Lapse {
    /// How much time passed.
    pub(crate) fn passed(&self) -> Duration {
        self.0.lock().unwrap().now
    }

    /// Lets time pass until then, unless something else wakes before; how far it is comes back.
    ///
    /// A sleep that is not polled does not wake its task: it is waited for only so often.
    fn pass(&self, end: Duration, tries: usize) -> Duration {
        let mut passed = self.0.lock().unwrap();
        if tries >= TRIES || passed.ends.iter().all(|other| *other >= end) {
            passed.now = passed.now.max(end);
        }
        passed.now
    }
}

/// What sleeps by a [`Lapse`], until then.
struct Lapsing(Lapse, Duration);

impl Drop for Lapsing {
    fn drop(&mut self) {
        let ends = &mut self.0.0.lock().unwrap().ends;
        let at = ends.iter().position(|end| *end == self.1).unwrap();
        ends.swap_remove(at);
    }
}

impl Clock for Lapse {
    fn now(&self) -> Stamp {
        let now = self.passed();
        Stamp { wall: Timestamp(WALL + now.as_millis() as u64), mono: Micros::from(now) }
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        let end = self.passed().saturating_add(time);
        self.0.lock().unwrap().ends.push(end);
        let sleeping = Lapsing(self.clone(), end);
        Box::pin(async move {
            let (mut before, mut tries) = (sleeping.0.passed(), 0);
            while before < sleeping.1 {
                for _ in 0..TURNS {
                    tokio::task::yield_now().await;
                }
                let now = sleeping.0.pass(sleeping.1, tries);
                tries = if now == before { tries + 1 } else { 0 };
                before = now;
            }
        })
    }
}

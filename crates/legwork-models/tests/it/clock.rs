//! A clock that only the test turns.

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

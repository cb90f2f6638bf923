//! The clock of the machine, for who brings no other.

use std::time::{Duration, Instant, SystemTime};

use legwork_core::{Micros, Stamp, Timestamp};
use legwork_port::{BoxFuture, Clock};

/// Real time; its sleeps need a tokio runtime with time.
#[derive(Debug)]
pub(crate) struct System {
    started: Instant,
}

impl System {
    #[allow(clippy::disallowed_methods, reason = "this is where time comes from")]
    pub(crate) fn new() -> Self {
        Self { started: Instant::now() }
    }
}

impl Clock for System {
    #[allow(clippy::disallowed_methods, reason = "this is where time comes from")]
    fn now(&self) -> Stamp {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let millis = since_epoch.unwrap_or_default().as_millis();
        Stamp {
            wall: Timestamp(u64::try_from(millis).unwrap_or(u64::MAX)),
            mono: Micros::from(self.started.elapsed()),
        }
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}

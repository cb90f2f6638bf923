//! The clock of the system, on tokio.
//!
//! The runtime and the models use it where a program gives no clock of its own. It is a crate by
//! itself because neither of them knows the other, and the ports know no runtime.
//!
//! ```
//! use std::time::Duration;
//!
//! use legwork_clock::SystemClock;
//! use legwork_port::Clock;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let clock = SystemClock::default();
//! let before = clock.mono();
//! clock.sleep(Duration::from_millis(1)).await;
//! assert!(clock.mono() > before);
//! # }
//! ```
#![forbid(unsafe_code)]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use legwork_core::{Micros, Stamp, Timestamp};
use legwork_port::{BoxFuture, Clock};

/// The clock of the system; sleeps on the tokio runtime, which needs its timers enabled.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that others ask")]
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that others ask")]
    fn now(&self) -> Stamp {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // `as_millis` counts in 128 bits.
        let millis = wall.as_secs().saturating_mul(1_000);
        let millis = millis.saturating_add(wall.subsec_millis().into());
        Stamp { wall: Timestamp(millis), mono: self.mono() }
    }

    fn mono(&self) -> Micros {
        self.start.elapsed().into()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        // It ends in time even if other work is always ready: a time limit must.
        Box::pin(tokio::task::unconstrained(tokio::time::sleep(time)))
    }
}

//! Time as data: it is passed in, the core never reads a clock.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Wall time in milliseconds since 1970-01-01 UTC.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Timestamp(pub u64);

/// A length of time in microseconds.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Micros(pub u64);

impl Micros {
    /// Zero microseconds.
    pub const ZERO: Self = Self(0);

    /// The sum, saturating.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The time from `earlier` to this; zero if that is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl Timestamp {
    /// The time that is this much later.
    #[must_use]
    pub fn after(self, time: Micros) -> Self {
        Self(self.0.saturating_add(time.0 / 1_000))
    }
}

/// As a date and a time in UTC, such as `2026-11-27 03:18:27 UTC`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / 1_000;
        let (year, month, day) = date(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
    }
}

/// The year, month and day of a number of days since 1 January 1970.
fn date(days: u64) -> (u64, u64, u64) {
    // Years that begin in March have the day of a leap year last; 400 of them have 146,097 days.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_of_year = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_of_year + 2) / 5 + 1;
    let month = if month_of_year < 10 { month_of_year + 3 } else { month_of_year - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

impl From<Duration> for Micros {
    fn from(duration: Duration) -> Self {
        // `as_micros` counts in 128 bits.
        let micros = duration.as_secs().saturating_mul(1_000_000);
        Self(micros.saturating_add(duration.subsec_micros().into()))
    }
}

impl From<Micros> for Duration {
    fn from(micros: Micros) -> Self {
        Self::from_micros(micros.0)
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", Duration::from(*self))
    }
}

/// The current time, which the loop passes to the state after each await.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    /// Wall time, written into entries.
    pub wall: Timestamp,
    /// Monotonic time since an arbitrary start; only differences are meaningful.
    pub mono: Micros,
}

//! A bucket that fills up with time.

use std::time::Duration;

use legwork_core::Micros;

/// What one unit is in the bucket: so the units of a minute fill it by whole numbers.
const UNIT: i128 = 60_000_000;

/// A bucket that holds at most the units of a minute, and fills up with time.
///
/// It may owe units, if more were used than was estimated.
#[derive(Debug, Clone)]
pub(super) struct Bucket {
    per_minute: u64,
    level: i128,
    at: Micros,
}

impl Bucket {
    /// A full bucket; at least one unit a minute.
    pub(super) fn full(per_minute: u64) -> Self {
        let per_minute = per_minute.max(1);
        Self { per_minute, level: scaled(per_minute), at: Micros::ZERO }
    }

    /// How long until it holds so many units, or is full.
    pub(super) fn wait(&mut self, units: u64, now: Micros) -> Duration {
        self.fill(now);
        let missing = scaled(units).min(self.size()) - self.level;
        let micros = missing.max(0).unsigned_abs().div_ceil(u128::from(self.per_minute));
        Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
    }

    /// Takes units out, even if it does not hold them.
    pub(super) fn take(&mut self, units: u64) {
        self.level -= scaled(units);
    }

    /// Puts units back that were not used.
    pub(super) fn put_back(&mut self, units: u64) {
        self.level = (self.level + scaled(units)).min(self.size());
    }

    fn fill(&mut self, now: Micros) {
        let came = i128::from(now.since(self.at).0) * i128::from(self.per_minute);
        self.level = (self.level + came).min(self.size());
        self.at = self.at.max(now);
    }

    fn size(&self) -> i128 {
        scaled(self.per_minute)
    }
}

fn scaled(units: u64) -> i128 {
    i128::from(units) * UNIT
}

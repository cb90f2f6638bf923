//! The tool of a workload: records when it was called, and waits.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::{measure, syncs::Syncs};

/// When a tool was called, by both clocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp {
    /// Wall time.
    pub(crate) at: Instant,
    /// Processor time of the process until then.
    pub(crate) cpu: Duration,
    /// Durable writes of the process until then.
    pub(crate) syncs: Syncs,
}

/// The work of the tool, the same on both sides.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    delay: Duration,
    stamps: Mutex<Vec<Stamp>>,
}

/// The time from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StepTime {
    /// Microseconds of wall time.
    pub(crate) wall_us: f64,
    /// Microseconds of processor time.
    pub(crate) cpu_us: f64,
}

impl Probe {
    /// A probe whose tool takes this long.
    pub(crate) fn new(delay: Duration) -> Arc<Self> {
        Arc::new(Self { delay, stamps: Mutex::default() })
    }

    /// Adds two numbers, after noting the call and waiting out the delay.
    pub(crate) async fn add(&self, a: i64, b: i64) -> i64 {
        self.stamp();
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        a + b
    }

    /// The calls since they were last taken.
    pub(crate) fn take(&self) -> Vec<Stamp> {
        let mut stamps = self.stamps.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut stamps)
    }

    /// Notes a call.
    pub(crate) fn stamp(&self) {
        let syncs = Syncs::so_far();
        let stamp = Stamp { at: Instant::now(), cpu: measure::cpu(), syncs };
        let mut stamps = self.stamps.lock().unwrap_or_else(PoisonError::into_inner);
        stamps.push(stamp);
    }
}

/// The times from call to call, one for each step but the last.
pub(crate) fn step_times(stamps: &[Stamp]) -> Vec<StepTime> {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    stamps
        .iter()
        .zip(stamps.iter().skip(1))
        .map(|(from, to)| StepTime {
            wall_us: micros(to.at - from.at),
            cpu_us: micros(to.cpu.saturating_sub(from.cpu)),
        })
        .collect()
}

/// The ten steps around step `number` (from 1), fewer at the ends.
pub(crate) fn around(times: &[StepTime], number: usize) -> &[StepTime] {
    let end = (number + 5).min(times.len());
    times.get(end.saturating_sub(10)..end).unwrap_or_default()
}

#[cfg(test)]
mod tests;

//! What the operating system says about this process.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Processor time of all threads of this process so far.
pub(crate) fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// The most memory this process ever held resident, in MB (`VmHWM`).
///
/// Not the `ru_maxrss` of a waited-for child: that one also counts the parent's
/// pages between fork and exec. None where there is no `/proc`.
pub(crate) fn peak_mb() -> Option<f64> {
    let kib = field("/proc/self/status", "VmHWM:")?;
    Some(kib as f64 * 1024.0 / 1e6)
}

/// Bytes that this process caused to be written to storage so far.
pub(crate) fn written() -> Option<u64> {
    field("/proc/self/io", "write_bytes:")
}

/// The number after `key` at the start of a line of a `/proc` file.
fn field(path: &str, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests;

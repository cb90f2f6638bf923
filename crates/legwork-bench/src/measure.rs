//! Figures of this process from the operating system.

use std::time::Duration;

/// Processor time of all threads of this process so far.
// Unsafe: the C library's clock is asked directly. `rustix` looks for the kernel's copy of
// it in a way that fails under valgrind, which counts this process's instructions.
#[allow(unsafe_code)]
pub(crate) fn cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value of the right type that lives through the call.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    if failed != 0 {
        return Duration::ZERO;
    }
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Page faults of this process so far that needed no disk: memory touched for the first time.
pub(crate) fn page_faults() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the executable may hold spaces; it ends with the last parenthesis.
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_whitespace().nth(7)?.parse().ok()
}

/// The peak resident memory of this process, in MB (`VmHWM`).
///
/// Not the `ru_maxrss` of a waited-for child: that one also counts the parent's
/// pages between fork and exec. None where there is no `/proc`.
pub(crate) fn peak_mb() -> Option<f64> {
    let kib = field("/proc/self/status", "VmHWM:")?;
    Some(kib as f64 * 1024.0 / 1e6)
}

/// The resident memory of this process, in MB (`VmRSS`).
pub(crate) fn resident_mb() -> Option<f64> {
    let kib = field("/proc/self/status", "VmRSS:")?;
    Some(kib as f64 * 1024.0 / 1e6)
}

/// Bytes that this process passed to system calls that write, so far.
pub(crate) fn passed() -> Option<u64> {
    field("/proc/self/io", "wchar:")
}

/// Open files, sockets and other descriptors of this process.
pub(crate) fn handles() -> Option<usize> {
    // Reading the folder takes one itself.
    Some(std::fs::read_dir("/proc/self/fd").ok()?.count().saturating_sub(1))
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

//! Counts and times every `fsync` and `fdatasync` of this process.
//!
//! The executable defines both functions itself, so that the linker uses them
//! for every caller in it, the standard library as well as SQLite. They make
//! the system call and record how long it took. The measured code need not be
//! changed, and unlike under a tracer it is not slowed down.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

static COUNT: AtomicU64 = AtomicU64::new(0);
static NANOS: AtomicU64 = AtomicU64::new(0);
static PAUSED: AtomicBool = AtomicBool::new(false);

/// How often, and how long in total, this process has waited for storage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Syncs {
    /// Calls of `fsync` and `fdatasync`.
    pub(crate) count: u64,
    /// Time spent in them, over all threads.
    pub(crate) time: Duration,
}

impl Syncs {
    /// All so far.
    pub(crate) fn so_far() -> Self {
        Self {
            count: COUNT.load(Ordering::SeqCst),
            time: Duration::from_nanos(NANOS.load(Ordering::SeqCst)),
        }
    }

    /// Those since an earlier reading.
    pub(crate) fn since(earlier: Self) -> Self {
        Self::so_far().after(earlier)
    }

    /// Those from an earlier reading to this one.
    pub(crate) fn after(self, earlier: Self) -> Self {
        Self { count: self.count - earlier.count, time: self.time - earlier.time }
    }
}

/// No sync of this process reaches the disk until this is dropped: for filling a store.
#[derive(Debug)]
pub(crate) struct Paused(());

impl Paused {
    /// From now on.
    pub(crate) fn new() -> Self {
        PAUSED.store(true, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        PAUSED.store(false, Ordering::SeqCst);
    }
}

// Unsafe: an exported symbol replaces a function of the C library, and a raw
// system call is made with the caller's own file descriptor.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod replaced {
    use std::{sync::atomic::Ordering, time::Instant};

    use super::{COUNT, NANOS, PAUSED};

    /// Makes the system call `number` on `fd`, counted and timed.
    fn timed(number: libc::c_long, fd: libc::c_int) -> libc::c_int {
        if PAUSED.load(Ordering::SeqCst) {
            return 0;
        }
        let start = Instant::now();
        // SAFETY: both calls take one descriptor and touch no memory of ours;
        // `syscall` sets errno as the replaced functions do.
        let result = unsafe { libc::syscall(number, fd) };
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        NANOS.fetch_add(nanos, Ordering::SeqCst);
        COUNT.fetch_add(1, Ordering::SeqCst);
        libc::c_int::try_from(result).unwrap_or(-1)
    }

    #[unsafe(no_mangle)]
    extern "C" fn fsync(fd: libc::c_int) -> libc::c_int {
        timed(libc::SYS_fsync, fd)
    }

    #[unsafe(no_mangle)]
    extern "C" fn fdatasync(fd: libc::c_int) -> libc::c_int {
        timed(libc::SYS_fdatasync, fd)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;

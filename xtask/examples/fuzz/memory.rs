//! How much memory is taken: an allocator that counts, and what SQLite says of itself.
#![allow(unsafe_code, reason = "an allocator is unsafe, and so is what SQLite counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A process that allocates more bytes than this is ended.
const MOST: usize = 4 << 30;

/// Bytes that are held now, and the most since it was asked last.
static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

struct Counting;

// SAFETY: it forwards all calls to the system's allocator, and counts them.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(held, Ordering::Relaxed);
        if held > MOST {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises; all that is allocated is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// A moment from which on is counted; one within another hides nothing from it.
pub(crate) struct Since {
    held: usize,
    /// The most bytes that were held before.
    before: usize,
    sqlite: usize,
}

impl Since {
    /// Counts from now on.
    pub(crate) fn now() -> Self {
        let held = HELD.load(Ordering::Relaxed);
        let before = PEAK.swap(held, Ordering::Relaxed);
        Self { held, before, sqlite: sqlite(1).min(sqlite(0)) }
    }

    /// The most bytes that were taken at once since then.
    pub(crate) fn most(&self) -> usize {
        let own = PEAK.load(Ordering::Relaxed).saturating_sub(self.held);
        own + sqlite(0).saturating_sub(self.sqlite)
    }
}

impl Drop for Since {
    fn drop(&mut self) {
        PEAK.fetch_max(self.before, Ordering::Relaxed);
    }
}

/// The most bytes that SQLite held; with 1, counted anew from now on.
fn sqlite(reset: i32) -> usize {
    // SAFETY: it reads two counters under a lock of its own.
    let most = unsafe { rusqlite::ffi::sqlite3_memory_highwater(reset) };
    usize::try_from(most).unwrap_or(0)
}

//! How often a test allocates: work that is done again for each event, without a clock.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static TIMES: Cell<u64> = const { Cell::new(0) };
}

/// How often this thread allocates memory, or more of it, in some work.
pub(crate) fn times(work: impl FnOnce()) -> u64 {
    let before = TIMES.get();
    work();
    TIMES.get() - before
}

/// The system's allocator, counted by thread.
struct Counted;

#[global_allocator]
static COUNTED: Counted = Counted;

fn count() {
    // A thread that ends has no count any more.
    let _ = TIMES.try_with(|all| all.set(all.get().wrapping_add(1)));
}

// Unsafe: an allocator is unsafe to be, and this one only passes on what it is asked.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps to what `System` asks, too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above; what comes here was allocated by `System`.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(place, layout, size) }
    }
}

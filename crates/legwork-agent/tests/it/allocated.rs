//! How many bytes a test allocates: the work that copies, without a clock.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

/// The bytes that this thread allocates in some work.
pub(crate) fn bytes(work: impl FnOnce()) -> u64 {
    let before = BYTES.get();
    work();
    BYTES.get() - before
}

/// The system's allocator, counted by thread.
struct Counted;

#[global_allocator]
static COUNTED: Counted = Counted;

fn count(bytes: usize) {
    // A thread that ends has no count any more.
    let _ = BYTES.try_with(|all| all.set(all.get().wrapping_add(bytes as u64)));
}

// Unsafe: an allocator is unsafe to be, and this one only passes on what it is asked.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps to what `System` asks, too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above; what comes here was allocated by `System`.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as above.
        unsafe { System.realloc(place, layout, size) }
    }
}

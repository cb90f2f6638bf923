//! How often a test allocates, and how much it holds: work and memory without a clock.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt;

thread_local! {
    static TIMES: Cell<u64> = const { Cell::new(0) };
    /// Bytes that are held; below zero where another thread allocated them.
    static HELD: Cell<i64> = const { Cell::new(0) };
    /// The fewest bytes that were held since a measurement began.
    static LEAST: Cell<i64> = const { Cell::new(0) };
    /// The most bytes that were held above the fewest before.
    static MOST: Cell<i64> = const { Cell::new(0) };
}

/// How often this thread allocates memory, or more of it, in some work.
#[cfg(feature = "gemini")]
pub(crate) fn times(work: impl FnOnce()) -> u64 {
    let before = TIMES.get();
    work();
    TIMES.get() - before
}

/// The most that this thread holds from here on; one measurement at a time.
pub(crate) struct Peak(());

impl Peak {
    pub(crate) fn begin() -> Self {
        LEAST.set(HELD.get());
        MOST.set(0);
        Self(())
    }

    /// Fails if more bytes than that were held at a time.
    ///
    /// What was held before does not count, and what is freed of it meanwhile hides nothing.
    #[track_caller]
    pub(crate) fn check(&self, most: i64, what: &dyn fmt::Display) {
        let held = MOST.get();
        assert!((1..=most).contains(&held), "{what}: {held} bytes were held, {most} may be");
    }
}

/// The system's allocator, counted by thread.
struct Counted;

#[global_allocator]
static COUNTED: Counted = Counted;

fn count() {
    // A thread that ends has no count any more.
    let _ = TIMES.try_with(|all| all.set(all.get().wrapping_add(1)));
}

/// Notes that so many bytes more are held, or fewer.
fn hold(size: usize, instead_of: usize) {
    let more = i64::try_from(size).unwrap_or(i64::MAX) - i64::try_from(instead_of).unwrap_or(0);
    let _ = HELD.try_with(|held| {
        let now = held.get().wrapping_add(more);
        held.set(now);
        let _ = LEAST.try_with(|least| {
            least.set(least.get().min(now));
            let above = now.wrapping_sub(least.get());
            let _ = MOST.try_with(|most| most.set(most.get().max(above)));
        });
    });
}

// Unsafe: an allocator is unsafe to be, and this one only passes on what it is asked.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        hold(layout.size(), 0);
        // SAFETY: the caller keeps to what `System` asks, too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        hold(0, layout.size());
        // SAFETY: as above; what comes here was allocated by `System`.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        hold(size, layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(place, layout, size) }
    }
}

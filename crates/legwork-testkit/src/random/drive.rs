//! Polls the future of a process by hand: what happens at which poll is the program's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use legwork_core::error::panic_message;

use crate::clock::VirtualClock;

/// Polls that a process takes at most.
const MOST: usize = 20_000;

/// What became of a process.
pub(super) enum Ended<T> {
    /// It completed with this output.
    Ready(T),
    /// The process died, by the program or a fault.
    Died,
    /// It panicked, in these words.
    Panicked(String),
    /// It was polled too often.
    Endless,
}

/// Whether a process lives on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Lives,
    Dies,
}

/// Calls that are made between two polls of a process.
pub(super) trait Conduct {
    /// The poll of this number comes next; the first is 1.
    fn before(&mut self, poll: usize) -> Fate;

    /// Whether it died in this poll.
    fn after(&mut self) -> Fate;

    /// Nothing moves before time does.
    fn sleeps(&mut self);

    /// Nothing moves any more.
    fn stuck(&mut self) -> Fate;
}

/// Whether the process was woken since it was polled.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Runs a future on this thread to its end, or to that of its process.
pub(super) fn drive<F: Future>(
    future: F,
    clock: &VirtualClock,
    conduct: &mut dyn Conduct,
) -> Ended<F::Output> {
    let mut future = pin!(future);
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut cx = Context::from_waker(&waker);
    for poll in 1..=MOST {
        if conduct.before(poll) == Fate::Dies {
            return Ended::Died;
        }
        woken.0.store(false, Ordering::SeqCst);
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut cx))) {
            Ok(Poll::Ready(output)) => return Ended::Ready(output),
            Ok(Poll::Pending) => {}
            Err(panic) => return Ended::Panicked(panic_message(&*panic)),
        }
        if conduct.after() == Fate::Dies {
            return Ended::Died;
        }
        if woken.0.load(Ordering::SeqCst) {
            continue;
        }
        if clock.sleepers() > 0 {
            conduct.sleeps();
            clock.skip();
        } else if conduct.stuck() == Fate::Dies {
            return Ended::Died;
        }
    }
    Ended::Endless
}

/// Runs a future that nothing disturbs; none if it comes to no end.
pub(super) fn finish<F: Future>(future: F, clock: &VirtualClock) -> Option<F::Output> {
    struct Quiet;
    impl Conduct for Quiet {
        fn before(&mut self, _: usize) -> Fate {
            Fate::Lives
        }
        fn after(&mut self) -> Fate {
            Fate::Lives
        }
        fn sleeps(&mut self) {}
        fn stuck(&mut self) -> Fate {
            Fate::Dies
        }
    }
    match drive(future, clock, &mut Quiet) {
        Ended::Ready(output) => Some(output),
        _ => None,
    }
}

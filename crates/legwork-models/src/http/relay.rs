//! Wake-ups within an exchange, which need no wake-up of the task.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Passes wake-ups on to the task that waits; those that come while it polls repeat the poll.
///
/// The two ends of an exchange wake each other at each piece. Passed on, each of these
/// wake-ups would poll the whole task once more, for nothing.
#[derive(Debug, Default)]
pub(super) struct Relay {
    woken: AtomicBool,
    waiting: Mutex<Option<Waker>>,
}

/// Polls in a row, until other tasks get their turn.
const MOST_POLLS: usize = 16;

impl Relay {
    /// Polls as long as it is woken by what it polls; `waker` is that of this relay.
    pub(super) fn poll<T>(
        &self,
        waker: &Waker,
        cx: &mut Context<'_>,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let mut own = Context::from_waker(waker);
        self.waiting().take();
        for _ in 0..MOST_POLLS {
            self.woken.store(false, Ordering::Release);
            if let Poll::Ready(value) = poll(&mut own) {
                return Poll::Ready(value);
            }
            if !self.woken.load(Ordering::Acquire) {
                break;
            }
        }
        *self.waiting() = Some(cx.waker().clone());
        // A wake-up from elsewhere may have come before there was a waker to pass it on to.
        if self.woken.load(Ordering::Acquire) {
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    }

    fn waiting(&self) -> MutexGuard<'_, Option<Waker>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Relay {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        let waiting = self.waiting().take();
        if let Some(task) = waiting {
            task.wake();
        }
    }
}

#[cfg(test)]
mod tests;

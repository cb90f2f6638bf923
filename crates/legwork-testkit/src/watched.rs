//! A value that tests wait on, from async code and from plain code.

use std::sync::{Mutex, MutexGuard, PoisonError};

use event_listener::Event;

/// A value whose changes wake the tasks and threads that wait on it.
#[derive(Debug, Default)]
pub(crate) struct Watched<T> {
    value: Mutex<T>,
    changed: Event,
}

impl<T> Watched<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), changed: Event::new() }
    }

    /// Changes the value and wakes all that wait.
    pub(crate) fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.lock());
        self.changed.notify(usize::MAX);
        result
    }

    /// Reads the value.
    pub(crate) fn peek<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.lock())
    }

    /// Waits until `find` returns something. Dropping the future is safe.
    pub(crate) async fn until<R>(&self, mut find: impl FnMut(&T) -> Option<R>) -> R {
        loop {
            let changed = self.changed.listen();
            if let Some(found) = self.peek(&mut find) {
                return found;
            }
            changed.await;
        }
    }

    /// The same for plain code: blocks the thread.
    pub(crate) fn until_blocking<R>(&self, mut find: impl FnMut(&T) -> Option<R>) -> R {
        use event_listener::Listener as _;
        loop {
            let changed = self.changed.listen();
            if let Some(found) = self.peek(&mut find) {
                return found;
            }
            changed.wait();
        }
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        // A test that panicked elsewhere must not hide its own message behind this lock.
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

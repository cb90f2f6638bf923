//! A pipe between a command and its guard: closed, it makes the guard kill.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

/// The end of the pipe that a guard watches; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Lifeline(Arc<Mutex<Option<OwnedFd>>>);

impl Lifeline {
    /// Has the command killed, with all its processes. A second call has no effect.
    pub(crate) fn cut(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// The lifeline as the waiting task holds it; dropping it closes the pipe.
#[derive(Debug)]
pub(super) struct Held(Lifeline);

impl Held {
    pub(super) fn new(end: OwnedFd) -> Self {
        Self(Lifeline(Arc::new(Mutex::new(Some(end)))))
    }

    pub(super) fn lifeline(&self) -> Lifeline {
        self.0.clone()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.cut();
    }
}

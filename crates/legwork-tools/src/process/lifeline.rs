//! What a command lives by: closed, it makes the guard kill.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

/// The end of the pipe that a guard watches; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Lifeline(Arc<Mutex<Option<OwnedFd>>>);

impl Lifeline {
    /// Has the command killed, with all that came of it. A second time is nothing.
    pub(crate) fn cut(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// A lifeline in the hand of who waits for the command: let go of, it is cut.
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

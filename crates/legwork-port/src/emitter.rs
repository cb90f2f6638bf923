//! Sends the events of one session to an observer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use legwork_core::SessionId;

use crate::event::{EventKind, RunEvent};
use crate::observer::{NoObserver, Observer, Origin};

/// Sends the events of one session to an observer; clones send to the same one.
///
/// It adds to each event where it happened: the session, the path in a tree of agents, and the
/// current step.
#[derive(Clone)]
pub struct Emitter {
    observer: Arc<dyn Observer>,
    origin: Arc<Origin>,
    /// The number of the current step; 0 between steps.
    step: Arc<AtomicU32>,
}

impl Emitter {
    /// An emitter that sends the events of a session to an observer.
    pub fn new(origin: Arc<Origin>, observer: Arc<dyn Observer>) -> Self {
        Self { observer, origin, step: Arc::default() }
    }

    /// An emitter that sends nothing.
    pub fn none(session: SessionId) -> Self {
        Self::new(Arc::new(Origin::root(session)), Arc::new(NoObserver))
    }

    /// Whether the observer wants events.
    pub fn listens(&self) -> bool {
        self.observer.listens()
    }

    /// Whether the observer wants the pieces of answers.
    pub fn streams(&self) -> bool {
        self.observer.streams()
    }

    /// Sends an event, which is built only if the observer wants it.
    pub fn emit(&self, kind: impl FnOnce() -> EventKind) {
        if !self.observer.listens() {
            return;
        }
        let kind = kind();
        let ends_step = matches!(kind, EventKind::StepFinished { .. });
        let step = self.step.load(Ordering::Relaxed);
        let Origin { session, path } = &*self.origin;
        self.observer.observe(&RunEvent {
            session: Some(session.clone()),
            path: path.clone(),
            step: (step > 0).then_some(step),
            ..RunEvent::new(kind)
        });
        if ends_step {
            self.at_step(0);
        }
    }

    /// Sends a warning: something that people should know, and that stops nothing.
    pub fn warn(&self, message: impl FnOnce() -> String) {
        self.emit(|| EventKind::Warning { message: message() });
    }

    /// Sets the current step, from the next event on; 0 = none.
    pub fn at_step(&self, step: u32) {
        self.step.store(step, Ordering::Relaxed);
    }

    /// Where the events happen.
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// The observer that gets the events.
    pub fn observer(&self) -> &Arc<dyn Observer> {
        &self.observer
    }
}

impl std::fmt::Debug for Emitter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Emitter").field("origin", &self.origin).finish_non_exhaustive()
    }
}

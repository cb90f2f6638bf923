//! Observers of runs.

use std::sync::Arc;

use legwork_core::SessionId;

use crate::event::RunEvent;

/// Receives the events of a run, and of the subagents below it.
///
/// The run waits while an observer handles an event, so it must return quickly. A closure
/// that takes a `&RunEvent` is an observer. An observer that panics gets no more events of the
/// run.
pub trait Observer: Send + Sync {
    /// Whether it wants events.
    ///
    /// While no observer does, events are not built.
    fn listens(&self) -> bool {
        true
    }

    /// Whether it wants the pieces of answers as they come.
    ///
    /// While no observer does, models are asked for whole answers. One that does not gets the
    /// pieces that others want.
    fn streams(&self) -> bool {
        self.listens()
    }

    /// Handles one event.
    fn observe(&self, event: &RunEvent);
}

impl<F: Fn(&RunEvent) + Send + Sync> Observer for F {
    fn observe(&self, event: &RunEvent) {
        self(event);
    }
}

impl<O: Observer + ?Sized> Observer for Arc<O> {
    fn listens(&self) -> bool {
        (**self).listens()
    }

    fn streams(&self) -> bool {
        (**self).streams()
    }

    fn observe(&self, event: &RunEvent) {
        (**self).observe(event);
    }
}

/// An observer that wants no events.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn listens(&self) -> bool {
        false
    }

    fn observe(&self, _: &RunEvent) {}
}

/// Where an event happens: a session, and its path in a tree of agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The id of the session.
    pub session: SessionId,
    /// The names of the subagents from the root down to this session; empty for the root.
    pub path: Vec<Arc<str>>,
}

impl Origin {
    /// The root of a tree of agents.
    pub fn root(session: SessionId) -> Self {
        Self { session, path: Vec::new() }
    }

    /// A subagent below this one, in its own session.
    #[must_use]
    pub fn child(&self, agent: impl Into<Arc<str>>, session: SessionId) -> Self {
        let path = self.path.iter().cloned().chain([agent.into()]).collect();
        Self { session, path }
    }

    /// Whether it is the root.
    pub fn is_root(&self) -> bool {
        self.path.is_empty()
    }

    /// The number of agents above it; 0 for the root.
    pub fn depth(&self) -> usize {
        self.path.len()
    }
}

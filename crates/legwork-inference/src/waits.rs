//! The waits of an inference between its attempts.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use legwork_core::{AgentState, Micros};

/// The waits of an inference between its attempts: they are no time at work.
#[derive(Default)]
pub struct Waits(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// The last wait, as far as it is not taken off yet; none before an attempt failed.
    last: Option<Range<Micros>>,
    /// What is left to be taken off of those before.
    before: Micros,
}

impl Waits {
    /// An attempt failed now; the next one begins after this long.
    pub fn begin(&self, now: Micros, length: Micros) {
        let mut inner = self.lock();
        let passed = inner.last.take().map_or(Micros::ZERO, |last| last.end.since(last.start));
        inner.before = inner.before.plus(passed);
        inner.last = Some(now..now.plus(length));
    }

    /// When the next attempt begins, or began; none before one failed.
    pub fn end(&self) -> Option<Micros> {
        self.lock().last.as_ref().map(|last| last.end)
    }

    /// How long the wait under way still takes: nothing is worked meanwhile.
    pub fn left(&self, state: &AgentState) -> Micros {
        let now = state.now().mono;
        self.lock().last.as_ref().map_or(Micros::ZERO, |last| last.end.since(now.max(last.start)))
    }

    /// The state at the present time, without what passed of the waits until then.
    #[must_use]
    pub fn take_off(&self, state: AgentState) -> AgentState {
        let mut inner = self.lock();
        let mut passed = std::mem::take(&mut inner.before);
        if let Some(last) = &mut inner.last {
            let until = state.now().mono.min(last.end).max(last.start);
            passed = passed.plus(until.since(last.start));
            last.start = until;
        }
        state.idled(passed)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! What calls that wait for an answer hold back.

use std::collections::BTreeSet;

/// What calls that wait for an answer hold back of those behind them: all that stands behind a
/// barrier, barriers, and what works on the same resource.
#[derive(Default)]
pub(super) struct Holding {
    waits: bool,
    barrier: bool,
    resources: BTreeSet<String>,
}

impl Holding {
    /// Whether any call waits.
    pub(super) fn waits(&self) -> bool {
        self.waits
    }

    /// Whether a call may not begin before those that wait; then it holds back others itself.
    pub(super) fn holds(&mut self, is_barrier: bool, resource: Option<String>) -> bool {
        let shares = resource.as_ref().is_some_and(|resource| self.resources.contains(resource));
        let held = self.barrier || shares || (self.waits && is_barrier);
        if held {
            self.add(is_barrier, resource);
        }
        held
    }

    /// A call waits.
    pub(super) fn add(&mut self, is_barrier: bool, resource: Option<String>) {
        self.waits = true;
        self.barrier |= is_barrier;
        self.resources.extend(resource);
    }
}

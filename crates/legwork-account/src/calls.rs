//! The calls of a turn, held in the accounts above from their check until each begins.

use std::sync::{Mutex, MutexGuard, PoisonError};

use legwork_core::budget::{Exhausted, TreeAmounts};

use crate::shared::SharedBudget;

/// Calls of a turn that were checked as a whole, and have not begun: other agents of the
/// tree leave room for them.
pub struct ReservedCalls {
    shared_budget: Option<SharedBudget>,
    count: Mutex<usize>,
}

impl ReservedCalls {
    /// None, in the accounts above an agent.
    pub fn new(shared_budget: Option<SharedBudget>) -> Self {
        Self { shared_budget, count: Mutex::default() }
    }

    /// Holds so many calls, those that are held already among them.
    ///
    /// # Errors
    /// The limit above that they would pass; no more is held then.
    pub fn hold(&self, calls: usize) -> Result<(), Exhausted> {
        let mut count = self.lock();
        if let Some(shared_budget) = &self.shared_budget {
            shared_budget.hold_calls(calls.saturating_sub(*count))?;
        }
        *count = calls.max(*count);
        Ok(())
    }

    /// Holds so many more calls, which were charged in the accounts above until now.
    pub fn take_over(&self, calls: usize) {
        let mut count = self.lock();
        if let Some(shared_budget) = &self.shared_budget {
            shared_budget.charge(TreeAmounts::calls(calls));
        }
        *count = count.saturating_add(calls);
    }

    /// How many are held.
    pub fn held(&self) -> usize {
        *self.lock()
    }

    /// A call begins: what was held for it is charged.
    pub fn begin(&self) {
        let mut count = self.lock();
        match (count.checked_sub(1), &self.shared_budget) {
            (Some(rest), _) => *count = rest,
            (None, Some(shared_budget)) => shared_budget.charge(TreeAmounts::calls(1)),
            (None, None) => {}
        }
    }

    /// Releases all but so many: the others never begin, or are held otherwise.
    pub fn keep(&self, calls: usize) {
        let mut count = self.lock();
        let rest = calls.min(*count);
        if let Some(shared_budget) = &self.shared_budget {
            shared_budget.settle(TreeAmounts::calls(*count - rest), TreeAmounts::default());
        }
        *count = rest;
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ReservedCalls {
    fn drop(&mut self) {
        self.keep(0);
    }
}

//! Charges that the agents above may not count on yet.

use std::sync::{Mutex, MutexGuard, PoisonError};

use legwork_core::budget::{Amounts, TreeAmounts};

use crate::shared::SharedBudget;

/// What was charged for an inference, and is not known to the agents above yet.
///
/// They may count on it only once it is durable: after a crash before that, what was held
/// is charged in full.
#[derive(Default)]
pub(crate) struct UncommittedCharges(Mutex<Vec<(Amounts, Amounts)>>);

impl UncommittedCharges {
    /// Notes what was held and what of it is charged.
    pub(crate) fn note(&self, held: Amounts, charged: Amounts) {
        self.lock().push((held, charged));
    }

    /// It is durable: the agents above may know.
    pub(crate) fn settle(&self, shared_budget: &SharedBudget) {
        for (held, charged) in self.lock().drain(..) {
            shared_budget.settle(TreeAmounts::of(&held), TreeAmounts::of(&charged));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Amounts, Amounts)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

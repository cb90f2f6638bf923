//! What a run spends from: its own ledger, and the accounts of the agents above.

use std::ops::Range;

use legwork_core::Budget;
use legwork_core::budget::{Amounts, Dimension, Exhausted, Ledger, Price, TreeAmounts};

use crate::calls::ReservedCalls;
use crate::shared::{Affordable, SharedBudget};
use crate::uncommitted::UncommittedCharges;

/// What a run spends from, beside its own ledger: what the agents above it leave.
pub struct Account {
    above: Option<SharedBudget>,
    uncommitted: UncommittedCharges,
    /// The calls of the turn that are held above.
    pub calls: ReservedCalls,
}

impl Account {
    /// The account of a run below these agents; none for the root of a tree.
    pub fn below(above: Option<SharedBudget>) -> Self {
        let (calls, uncommitted) = (ReservedCalls::new(above.clone()), Default::default());
        Self { above, uncommitted, calls }
    }

    /// What the agents above leave; none for the root of a tree.
    pub fn above(&self) -> Option<&SharedBudget> {
        self.above.as_ref()
    }

    /// The limits of a ledger, and those that are left above.
    pub fn limits(&self, ledger: &Ledger) -> Budget {
        let own = ledger.budget.clone();
        self.above.as_ref().map_or_else(|| own.clone(), |above| own.within(&above.left()))
    }

    /// What the agent's own limits leave, here and as they were granted.
    pub fn left(&self, ledger: &Ledger) -> Budget {
        match &self.above {
            Some(above) => above.bound(ledger).left(),
            None => ledger.left(),
        }
    }

    /// What an inference may answer, and what is to be held for it; it is held above when this
    /// returns.
    ///
    /// # Errors
    /// The limit that leaves too little, wherever it stands; nothing is held then.
    pub fn hold(
        &self,
        ledger: &Ledger,
        input: u64,
        max_output: Option<u64>,
        price: Option<&Price>,
    ) -> Result<Affordable, Exhausted> {
        match &self.above {
            Some(above) => above.hold(ledger, input, max_output, price),
            None => ledger.afford(input, max_output, price),
        }
    }

    /// The limit that forbids another attempt at an inference, where one that failed may have
    /// cost. If there is none, as much as is `held` is held again above for each of the new ones.
    ///
    /// `left` is what the agent's own limits leave; `charged` are the failed attempts that may
    /// have cost: how many were known, and how many there are now.
    pub fn forbids_attempt(
        &self,
        left: &Budget,
        held: Amounts,
        charged: Range<u32>,
    ) -> Option<Dimension> {
        if let Some(limit) = left.exceeded_by(&held.for_attempts(charged.end)) {
            return Some(limit);
        }
        let above = self.above.as_ref()?;
        let more = held.for_attempts(charged.end.saturating_sub(charged.start));
        if let Err(limit) = above.hold_again(&more) {
            return Some(limit);
        }
        // Released with the rest, when it is known what all attempts are charged.
        self.uncommitted.note(more, Amounts::default());
        None
    }

    /// Notes what was held and what of it is charged; the agents above know when that is
    /// [committed](Self::committed).
    pub fn charge(&self, held: Amounts, charged: Amounts) {
        if self.above.is_some() {
            self.uncommitted.note(held, charged);
        }
    }

    /// What was charged is durable: the agents above may know.
    pub fn committed(&self) {
        if let Some(above) = &self.above {
            self.uncommitted.settle(above);
        }
    }

    /// Releases what was held for an inference that is not made.
    pub fn release(&self, held: &Amounts) {
        if let Some(above) = &self.above {
            above.settle(TreeAmounts::of(held), TreeAmounts::default());
        }
    }
}

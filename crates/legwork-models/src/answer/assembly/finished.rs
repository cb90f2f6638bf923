//! The indexes whose parts came whole.

use std::collections::BTreeSet;

/// A set of indexes. Most come in order, so that all below a number are in it and no memory is
/// needed for others.
#[derive(Debug, Default)]
pub(super) struct Finished {
    below: u64,
    others: BTreeSet<u64>,
}

impl Finished {
    /// Adds an index; false if it is there already.
    pub(super) fn insert(&mut self, index: u64) -> bool {
        if index != self.below {
            return index > self.below && self.others.insert(index);
        }
        self.below += 1;
        while self.others.remove(&self.below) {
            self.below += 1;
        }
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.below == 0 && self.others.is_empty()
    }
}

#[cfg(test)]
mod tests;

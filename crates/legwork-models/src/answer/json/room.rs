//! How much may be built from a text.

use super::{Broken, Read};
use crate::bounds::{Bounds, DEEPEST, Passed};

/// How much may be built from a text.
#[derive(Debug)]
pub(super) struct Room {
    /// Nesting of objects and arrays.
    pub(super) nesting: usize,
    most_values: usize,
    /// Values that may still be built.
    values: usize,
    pub(super) passed: Option<Passed>,
}

impl Room {
    pub(super) fn of(bounds: &Bounds) -> Self {
        let (nesting, values) = (bounds.nesting.min(DEEPEST), bounds.values);
        Self { nesting, most_values: values, values, passed: None }
    }

    /// Enters an object or an array, counting the nesting.
    pub(super) fn enter(&mut self, depth: usize) -> Read {
        if depth <= self.nesting {
            return Ok(());
        }
        self.passed.get_or_insert(Passed::Nesting(self.nesting));
        Err(Broken)
    }

    /// Builds a value.
    pub(super) fn build(&mut self) -> Read {
        let Some(left) = self.values.checked_sub(1) else {
            self.passed.get_or_insert(Passed::Values(self.most_values));
            return Err(Broken);
        };
        self.values = left;
        Ok(())
    }
}

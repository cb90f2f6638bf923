//! Leaves out the oldest part of a conversation, by its tokens.

use std::ops::Range;

use legwork_core::state::Tokens;

use super::Marks;
use crate::transform::{Cx, Extended, Transform};
use crate::unit::Unit;
use crate::view::View;

/// Leaves out the oldest units when all together have too many tokens, by an estimate
/// ([`Tokens::of_weight`]).
///
/// The first task, the last one, and what is pinned stay, however long they are.
#[derive(Debug, Clone, Copy)]
pub struct TokenBudget {
    marks: Marks,
}

impl TokenBudget {
    /// At most so many tokens of messages; the system prompt and the tools come on top.
    pub const fn of(high: u64) -> Self {
        Self { marks: Marks::up_to(high) }
    }

    /// The same, with as many left after some units were left out.
    #[must_use]
    pub const fn down_to(self, low: u64) -> Self {
        Self { marks: self.marks.down_to(low) }
    }
}

fn tokens(unit: &Unit) -> u64 {
    Tokens::of_weight(unit.weight())
}

impl Transform for TokenBudget {
    fn name(&self) -> &str {
        "token_budget"
    }

    fn priority(&self) -> i32 {
        600
    }

    fn extend(&self, view: &mut View, added: Range<usize>, _: &Cx<'_>) -> Extended {
        let mut all: u64 = view.memory();
        let mut end = added.start;
        while let Some(unit) = view.get(end) {
            all += tokens(unit);
            end += 1;
            if all <= self.marks.high {
                continue;
            }
            let mut left = all;
            end -= view.remove_oldest(end, |unit| {
                let goes = left > self.marks.low;
                left -= if goes { tokens(unit).min(left) } else { 0 };
                goes
            });
            all = left;
        }
        view.keep(all);
        Extended::Done
    }
}

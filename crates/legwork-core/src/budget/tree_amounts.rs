//! What adds up over a tree of agents, each dimension by itself.

use crate::budget::{Amounts, Budget, MicroUsd};

/// Amounts of what adds up over a tree. Steps and active time do not: each agent has its
/// own, and the one above waits meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeAmounts {
    calls: u64,
    input: u64,
    output: u64,
    /// All tokens together: more than input and output where they are held unseparated.
    total: u64,
    cost: u64,
}

impl TreeAmounts {
    /// What adds up of some amounts.
    pub fn of(amounts: &Amounts) -> Self {
        let Amounts { tool_calls: calls, input, output, cost, .. } = *amounts;
        Self { calls, input, output, total: amounts.total_tokens(), cost: cost.0 }
    }

    /// So many calls.
    pub fn calls(count: usize) -> Self {
        Self { calls: count as u64, ..Self::default() }
    }

    /// What is held at spawn for a subagent with limits of its own, as far as there is room.
    pub fn block(own: &Budget, left: &Budget) -> Self {
        let room = own.within(left);
        let tight = |own: Option<u64>, room: Option<u64>| own.and(room).unwrap_or(0);
        Self {
            calls: tight(own.tool_calls, room.tool_calls),
            input: tight(own.input_tokens, room.input_tokens),
            output: tight(own.output_tokens, room.output_tokens),
            total: tight(own.total_tokens, room.total_tokens),
            cost: tight(own.cost.map(|cost| cost.0), room.cost.map(|cost| cost.0)),
        }
    }

    /// The block that was journaled as these amounts for a subagent with limits of its own.
    pub fn journaled(amounts: &Amounts, own: &Budget) -> Self {
        Self::of(amounts).covered(own)
    }

    /// Limits of its own, where they limit what adds up those for which this is held.
    pub fn limits(self, own: &Budget) -> Budget {
        Budget {
            tool_calls: own.tool_calls.map(|_| self.calls),
            input_tokens: own.input_tokens.map(|_| self.input),
            output_tokens: own.output_tokens.map(|_| self.output),
            total_tokens: own.total_tokens.map(|_| self.total),
            cost: own.cost.map(|_| MicroUsd(self.cost)),
            ..own.clone()
        }
    }

    /// As it is journaled: tokens of either kind are those that are in no other dimension.
    pub fn journal(self) -> Amounts {
        let (by_kind, _) = self.to_amounts();
        let tokens = self.total.saturating_sub(self.input).saturating_sub(self.output);
        Amounts { tokens, ..by_kind }
    }

    /// By kind of token, and all tokens together.
    pub fn to_amounts(self) -> (Amounts, Amounts) {
        let Self { calls, input, output, total, cost } = self;
        let cost = MicroUsd(cost);
        let by_kind = Amounts { tool_calls: calls, input, output, cost, ..Amounts::default() };
        (by_kind, Amounts { tokens: total, ..Amounts::default() })
    }

    /// The part that limits of its own do not cover.
    #[must_use]
    pub fn uncovered(self, own: &Budget) -> Self {
        let covered = self.covered(own);
        self.less(covered)
    }

    /// The part that limits of its own cover.
    #[must_use]
    pub fn covered(self, own: &Budget) -> Self {
        let part = |sum: u64, covered: bool| if covered { sum } else { 0 };
        Self {
            calls: part(self.calls, own.tool_calls.is_some()),
            input: part(self.input, own.input_tokens.is_some()),
            output: part(self.output, own.output_tokens.is_some()),
            total: part(self.total, own.total_tokens.is_some()),
            cost: part(self.cost, own.cost.is_some()),
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.each(other, u64::saturating_add)
    }

    /// These without the others; never below zero.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        self.each(other, u64::saturating_sub)
    }

    fn each(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            calls: of(self.calls, other.calls),
            input: of(self.input, other.input),
            output: of(self.output, other.output),
            total: of(self.total, other.total),
            cost: of(self.cost, other.cost),
        }
    }
}

#[cfg(test)]
mod tests;

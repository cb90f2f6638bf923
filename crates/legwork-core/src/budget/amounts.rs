//! Amounts of steps, calls, tokens, money and time.

use serde::{Deserialize, Serialize};

use crate::budget::{Dimension, Price};
use crate::inference::{Discarded, Usage};
use crate::money::MicroUsd;
use crate::time::Micros;

/// An amount of each dimension: what was used, or is reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Amounts {
    /// Steps begun.
    #[serde(skip_serializing_if = "is_zero")]
    pub steps: u64,
    /// Tool calls begun.
    #[serde(skip_serializing_if = "is_zero")]
    pub tool_calls: u64,
    /// Input tokens.
    #[serde(skip_serializing_if = "is_zero")]
    pub input: u64,
    /// Output tokens.
    #[serde(skip_serializing_if = "is_zero")]
    pub output: u64,
    /// Reserved tokens that may become input or output.
    #[serde(skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// Money, in millionths of a US dollar.
    #[serde(skip_serializing_if = "is_free")]
    pub cost: MicroUsd,
    /// Active time, in microseconds.
    #[serde(skip_serializing_if = "is_instant")]
    pub active_time: Micros,
    /// Whether some of the tokens are estimated, not reported by a provider.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// Whether some of the tokens have no known price; `cost` does not include them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unpriced: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_free(cost: &MicroUsd) -> bool {
    cost.0 == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_instant(time: &Micros) -> bool {
    time.0 == 0
}

impl Amounts {
    /// The tokens of a usage and their cost; marked unpriced without a price.
    pub fn of_usage(usage: &Usage, price: Option<&Price>) -> Self {
        let cost = price.map_or(MicroUsd(0), |price| price.cost(usage));
        let unpriced = price.is_none() && usage.total() > 0;
        Self { input: usage.input, output: usage.output, cost, unpriced, ..Self::default() }
    }

    /// The tokens and the cost of an answer that was discarded.
    pub fn of_discarded(discarded: &Discarded) -> Self {
        let tokens = Self::of_usage(&discarded.usage, None);
        match discarded.cost {
            Some(cost) => Self { cost, unpriced: false, ..tokens },
            None => tokens,
        }
    }

    /// The same, marked as estimated if there are any tokens.
    #[must_use]
    pub fn as_estimate(self) -> Self {
        Self { estimated: self.total_tokens() > 0, ..self }
    }

    /// Whether all amounts are zero.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// The sum of each dimension, saturating.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            steps: self.steps.saturating_add(other.steps),
            tool_calls: self.tool_calls.saturating_add(other.tool_calls),
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            tokens: self.tokens.saturating_add(other.tokens),
            cost: MicroUsd(self.cost.0.saturating_add(other.cost.0)),
            active_time: self.active_time.plus(other.active_time),
            estimated: self.estimated || other.estimated,
            unpriced: self.unpriced || other.unpriced,
        }
    }

    /// What was added to an earlier sum.
    #[must_use]
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        let micros = |now: Micros, before: Micros| Micros(now.0.saturating_sub(before.0));
        Self {
            steps: self.steps.saturating_sub(earlier.steps),
            tool_calls: self.tool_calls.saturating_sub(earlier.tool_calls),
            input: self.input.saturating_sub(earlier.input),
            output: self.output.saturating_sub(earlier.output),
            tokens: self.tokens.saturating_sub(earlier.tokens),
            cost: MicroUsd(self.cost.0.saturating_sub(earlier.cost.0)),
            active_time: micros(self.active_time, earlier.active_time),
            estimated: self.estimated && !earlier.estimated,
            unpriced: self.unpriced && !earlier.unpriced,
        }
    }

    /// The same with at least this much of a dimension; missing total tokens are added to
    /// `tokens`.
    #[must_use]
    pub(crate) fn at_least(self, dimension: &Dimension, least: u64) -> Self {
        let missing = least.saturating_sub(self.total_tokens());
        match dimension {
            Dimension::Steps => Self { steps: self.steps.max(least), ..self },
            Dimension::ToolCalls => Self { tool_calls: self.tool_calls.max(least), ..self },
            Dimension::InputTokens => Self { input: self.input.max(least), ..self },
            Dimension::OutputTokens => Self { output: self.output.max(least), ..self },
            Dimension::TotalTokens => Self { tokens: self.tokens.saturating_add(missing), ..self },
            Dimension::Cost => Self { cost: self.cost.max(MicroUsd(least)), ..self },
            Dimension::ActiveTime => {
                Self { active_time: self.active_time.max(Micros(least)), ..self }
            }
            Dimension::Deadline | Dimension::Other(_) => self,
        }
    }

    /// Input, output and reserved tokens together.
    pub fn total_tokens(&self) -> u64 {
        self.input.saturating_add(self.output).saturating_add(self.tokens)
    }
}

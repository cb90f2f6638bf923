//! The limits of an execution.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::budget::{Amounts, MicroUsd};
use crate::string_enum::string_enum;
use crate::time::{Micros, Timestamp};

string_enum! {
    /// A dimension that can be limited.
    Dimension {
        /// Steps.
        Steps = "steps",
        /// Tool calls.
        ToolCalls = "tool_calls",
        /// Input tokens.
        InputTokens = "input_tokens",
        /// Output tokens.
        OutputTokens = "output_tokens",
        /// Input and output tokens together.
        TotalTokens = "total_tokens",
        /// Money.
        Cost = "cost",
        /// Active time.
        ActiveTime = "active_time",
        /// A point in wall time.
        Deadline = "deadline",
    }
}

/// The limits of one execution; none = unlimited.
///
/// There is no `Default`: begin with [`Budget::guards`], which is what a builder begins with, or
/// with [`Budget::unlimited`].
///
/// ```
/// use legwork_core::Budget;
/// let budget = Budget::usd(0.50).steps(20);
/// assert_eq!(budget.cost.unwrap().0, 500_000);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default = "Budget::unlimited")]
pub struct Budget {
    /// The maximum of steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// The maximum of tool calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
    /// The maximum of input tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// The maximum of output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// The maximum of input and output tokens together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    /// The maximum of money, in millionths of a US dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<MicroUsd>,
    /// The maximum of active time, in microseconds; waiting for people does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_time: Option<Micros>,
    /// The point in wall time after which no step begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// The minimum of output tokens: an inference that the limits leave fewer is refused.
    ///
    /// None = [`OUTPUT_FLOOR`](crate::budget::OUTPUT_FLOOR).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_floor: Option<u64>,
}

impl Budget {
    /// The default limits: 20 steps and 300 s of active time (rule S3.6).
    pub fn guards() -> Self {
        Self::unlimited().steps(20).time(Duration::from_secs(300))
    }

    /// No limit at all.
    pub fn unlimited() -> Self {
        Self {
            steps: None,
            tool_calls: None,
            input_tokens: None,
            output_tokens: None,
            total_tokens: None,
            cost: None,
            active_time: None,
            deadline: None,
            output_floor: None,
        }
    }

    /// The default limits, and at most this much money, in US dollars.
    pub fn usd(usd: f64) -> Self {
        Self { cost: Some(MicroUsd::from_usd(usd)), ..Self::guards() }
    }

    /// The lower limit of the two for each dimension.
    #[must_use]
    pub fn within(&self, other: &Self) -> Self {
        fn lower<T: Ord + Copy>(a: Option<T>, b: Option<T>) -> Option<T> {
            [a, b].into_iter().flatten().min()
        }
        Self {
            steps: lower(self.steps, other.steps),
            tool_calls: lower(self.tool_calls, other.tool_calls),
            input_tokens: lower(self.input_tokens, other.input_tokens),
            output_tokens: lower(self.output_tokens, other.output_tokens),
            total_tokens: lower(self.total_tokens, other.total_tokens),
            cost: lower(self.cost, other.cost),
            active_time: lower(self.active_time, other.active_time),
            deadline: lower(self.deadline, other.deadline),
            output_floor: self.output_floor.or(other.output_floor),
        }
    }

    /// These limits, and those of the other one for each dimension that they do not have.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self {
            steps: self.steps.or(other.steps),
            tool_calls: self.tool_calls.or(other.tool_calls),
            input_tokens: self.input_tokens.or(other.input_tokens),
            output_tokens: self.output_tokens.or(other.output_tokens),
            total_tokens: self.total_tokens.or(other.total_tokens),
            cost: self.cost.or(other.cost),
            active_time: self.active_time.or(other.active_time),
            deadline: self.deadline.or(other.deadline),
            output_floor: self.output_floor.or(other.output_floor),
        }
    }

    /// The same without a limit on a dimension.
    #[must_use]
    pub fn without(mut self, dimension: &Dimension) -> Self {
        match dimension {
            Dimension::Steps => self.steps = None,
            Dimension::ToolCalls => self.tool_calls = None,
            Dimension::InputTokens => self.input_tokens = None,
            Dimension::OutputTokens => self.output_tokens = None,
            Dimension::TotalTokens => self.total_tokens = None,
            Dimension::Cost => self.cost = None,
            Dimension::ActiveTime => self.active_time = None,
            Dimension::Deadline => self.deadline = None,
            Dimension::Other(_) => {}
        }
        self
    }

    /// The first limit on calls, tokens or money that these amounts exceed.
    pub fn exceeded_by(&self, amounts: &Amounts) -> Option<Dimension> {
        let wanted = [
            (Dimension::ToolCalls, amounts.tool_calls),
            (Dimension::InputTokens, amounts.input),
            (Dimension::OutputTokens, amounts.output),
            (Dimension::TotalTokens, amounts.total_tokens()),
            (Dimension::Cost, amounts.cost.0),
        ];
        let exceeded = |(dimension, wanted): &(Dimension, u64)| {
            self.limit(dimension).is_some_and(|limit| *wanted > limit)
        };
        wanted.into_iter().find(exceeded).map(|(dimension, _)| dimension)
    }

    /// The limit of a dimension, in its unit; none = unlimited.
    pub fn limit(&self, dimension: &Dimension) -> Option<u64> {
        match dimension {
            Dimension::Steps => self.steps,
            Dimension::ToolCalls => self.tool_calls,
            Dimension::InputTokens => self.input_tokens,
            Dimension::OutputTokens => self.output_tokens,
            Dimension::TotalTokens => self.total_tokens,
            Dimension::Cost => self.cost.map(|cost| cost.0),
            Dimension::ActiveTime => self.active_time.map(|time| time.0),
            Dimension::Deadline => self.deadline.map(|at| at.0),
            Dimension::Other(_) => None,
        }
    }

    /// At most this many steps.
    #[must_use]
    pub fn steps(self, steps: u64) -> Self {
        Self { steps: Some(steps), ..self }
    }

    /// At most this many tool calls.
    #[must_use]
    pub fn tool_calls(self, calls: u64) -> Self {
        Self { tool_calls: Some(calls), ..self }
    }

    /// At most this many input and output tokens together.
    #[must_use]
    pub fn tokens(self, tokens: u64) -> Self {
        Self { total_tokens: Some(tokens), ..self }
    }

    /// At most this many input tokens.
    #[must_use]
    pub fn input_tokens(self, tokens: u64) -> Self {
        Self { input_tokens: Some(tokens), ..self }
    }

    /// At most this many output tokens.
    #[must_use]
    pub fn output_tokens(self, tokens: u64) -> Self {
        Self { output_tokens: Some(tokens), ..self }
    }

    /// Refuses an inference that the limits leave fewer output tokens than this;
    /// [`OUTPUT_FLOOR`](crate::budget::OUTPUT_FLOOR) by default.
    #[must_use]
    pub fn output_floor(self, tokens: u64) -> Self {
        Self { output_floor: Some(tokens), ..self }
    }

    /// At most this much active time.
    #[must_use]
    pub fn time(self, time: Duration) -> Self {
        Self { active_time: Some(time.into()), ..self }
    }

    /// No step begins after this point in time.
    #[must_use]
    pub fn deadline(self, at: Timestamp) -> Self {
        Self { deadline: Some(at), ..self }
    }
}

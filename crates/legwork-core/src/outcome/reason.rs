//! Why an execution stops.

use serde::{Deserialize, Serialize};

use crate::budget::{Dimension, Exhausted};
use crate::error::{ErrorKind, ErrorRecord, ErrorSource};
use crate::string_enum::string_enum;

string_enum! {
    /// Why an execution stops; each has a priority, the lower one wins.
    StopReason {
        /// Something failed.
        Error = "error",
        /// A tool or hook asked for it.
        StopRequested = "stop_requested",
        /// A person asked for it.
        UserRequested = "user_requested",
        /// No step is left.
        StepsLimit = "steps_limit",
        /// No token is left.
        TokenLimit = "token_limit",
        /// No money is left.
        CostLimit = "cost_limit",
        /// No time is left.
        TimeLimit = "time_limit",
        /// No tool call is left.
        ToolCallsLimit = "tool_calls_limit",
        /// Something was tried too often.
        RetryLimit = "retry_limit",
        /// The model ended its answer for another reason than being done.
        FinishReason = "finish_reason",
        /// The work is done.
        Completed = "completed",
        /// Nothing spoke for going on.
        Unknown = "unknown",
    }
}

impl StopReason {
    /// The priority of section 3: the lower one wins.
    pub fn priority(&self) -> u8 {
        match self {
            Self::Error => 0,
            Self::StopRequested => 1,
            Self::UserRequested => 2,
            Self::StepsLimit => 3,
            Self::TokenLimit => 4,
            Self::CostLimit => 5,
            Self::TimeLimit => 6,
            Self::ToolCallsLimit => 7,
            Self::RetryLimit => 8,
            Self::FinishReason => 9,
            Self::Completed => 10,
            Self::Unknown | Self::Other(_) => 11,
        }
    }

    /// Whether it is a limit that was reached.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::StepsLimit
                | Self::TokenLimit
                | Self::CostLimit
                | Self::TimeLimit
                | Self::ToolCallsLimit
                | Self::RetryLimit
        )
    }

    /// Whether a stop for it cannot be prevented.
    pub fn forbids(&self) -> bool {
        !matches!(self, Self::FinishReason | Self::Completed)
    }
}

impl From<&Dimension> for StopReason {
    fn from(dimension: &Dimension) -> Self {
        match dimension {
            Dimension::Steps => Self::StepsLimit,
            Dimension::ToolCalls => Self::ToolCallsLimit,
            Dimension::Cost => Self::CostLimit,
            Dimension::ActiveTime | Dimension::Deadline => Self::TimeLimit,
            Dimension::InputTokens | Dimension::OutputTokens | Dimension::TotalTokens => {
                Self::TokenLimit
            }
            Dimension::Other(_) => Self::Unknown,
        }
    }
}

/// A request to stop, with its reason, source and numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopSignal {
    /// Why.
    pub reason: StopReason,
    /// Who asks: a criterion, tool, hook or person.
    pub source: String,
    /// The same in words.
    pub message: String,
    /// The limit with its numbers, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Exhausted>,
    /// The error that it stops for, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<ErrorRecord>>,
}

impl StopSignal {
    /// A signal with a reason, from a source, in words.
    pub fn new(reason: StopReason, source: impl Into<String>, message: impl Into<String>) -> Self {
        Self { reason, source: source.into(), message: message.into(), limit: None, error: None }
    }

    /// The signal of an error, from a source.
    pub fn error(source: impl Into<String>, error: ErrorRecord) -> Self {
        Self::new(StopReason::Error, source, error.message.clone()).with_error(error)
    }

    /// The same signal, for an error.
    #[must_use]
    pub fn with_error(self, error: ErrorRecord) -> Self {
        Self { error: Some(Box::new(error)), ..self }
    }

    /// The error that it stops for; none if it stops for another reason. One that a hook
    /// raised without an error is an error of the hook.
    pub fn to_error(&self) -> Option<ErrorRecord> {
        if self.reason != StopReason::Error {
            return None;
        }
        let raised = || {
            let source = ErrorSource::Hook(self.source.clone());
            ErrorRecord::new(source, ErrorKind::Hook, self.message.clone())
        };
        Some(self.error.as_deref().cloned().unwrap_or_else(raised))
    }

    /// The signal of a limit.
    pub fn limit(source: impl Into<String>, limit: Exhausted) -> Self {
        let signal = Self::new(StopReason::from(&limit.dimension), source, limit.to_string());
        Self { limit: Some(limit), ..signal }
    }
}

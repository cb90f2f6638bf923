//! Why an execution stops.

use serde::{Deserialize, Serialize};

use crate::budget::{Dimension, Exhausted};
use crate::error::{ErrorKind, ErrorRecord, ErrorSource};
use crate::string_enum::string_enum;

string_enum! {
    /// Why an execution stops; of several reasons, the one with the lowest number wins.
    StopReason {
        /// Something failed.
        Error = "error",
        /// A tool or hook asked for it.
        StopRequested = "stop_requested",
        /// A person asked for it.
        UserRequested = "user_requested",
        /// The limit on steps was reached.
        StepsLimit = "steps_limit",
        /// A limit on tokens was reached.
        TokenLimit = "token_limit",
        /// The limit on money was reached.
        CostLimit = "cost_limit",
        /// A limit on time was reached.
        TimeLimit = "time_limit",
        /// The limit on tool calls was reached.
        ToolCallsLimit = "tool_calls_limit",
        /// The limit on retries was reached.
        RetryLimit = "retry_limit",
        /// The model ended its answer before it was complete.
        FinishReason = "finish_reason",
        /// The work is done.
        Completed = "completed",
        /// No vote was for going on.
        Unknown = "unknown",
    }
}

impl StopReason {
    /// The priority by rule S3.5; the lowest number wins.
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

    /// Whether it is a limit.
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

    /// Whether a stop for this reason cannot be prevented by a hook.
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

/// A request to stop, with its reason and source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopSignal {
    /// The reason, which has a priority.
    pub reason: StopReason,
    /// The name of the criterion, tool, hook or person that requests it.
    pub source: String,
    /// The reason in words.
    pub message: String,
    /// The limit with its numbers, if the reason is a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Exhausted>,
    /// The error, if the reason is an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<ErrorRecord>>,
}

impl StopSignal {
    /// A signal with a reason, a source and a message.
    pub fn new(reason: StopReason, source: impl Into<String>, message: impl Into<String>) -> Self {
        Self { reason, source: source.into(), message: message.into(), limit: None, error: None }
    }

    /// A signal for an error.
    pub fn error(source: impl Into<String>, error: ErrorRecord) -> Self {
        Self::new(StopReason::Error, source, error.message.clone()).with_error(error)
    }

    /// The same with an error.
    #[must_use]
    pub fn with_error(self, error: ErrorRecord) -> Self {
        Self { error: Some(Box::new(error)), ..self }
    }

    /// The error, if the reason is an error.
    ///
    /// A signal without one was raised by a hook: the message then is an error of that hook.
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

    /// A signal for a limit.
    pub fn limit(source: impl Into<String>, limit: Exhausted) -> Self {
        let signal = Self::new(StopReason::from(&limit.dimension), source, limit.to_string());
        Self { limit: Some(limit), ..signal }
    }
}

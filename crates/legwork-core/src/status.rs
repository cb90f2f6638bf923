//! Where an execution stands.

use crate::outcome::StopReason;
use crate::string_enum::string_enum;

string_enum! {
    /// Where an execution stands.
    ExecutionStatus {
        /// It runs, or its process died.
        InProgress = "in_progress",
        /// It waits for a person's answer.
        AwaitingApproval = "awaiting_approval",
        /// It waits for a result from outside, or a time.
        AwaitingInput = "awaiting_input",
        /// It is done.
        Completed = "completed",
        /// A limit or a request stopped it.
        Stopped = "stopped",
        /// It failed.
        Failed = "failed",
        /// A person ended it.
        Cancelled = "cancelled",
    }
}

impl ExecutionStatus {
    /// Whether the execution is over.
    pub fn is_terminal(&self) -> bool {
        !matches!(self, Self::InProgress | Self::AwaitingApproval | Self::AwaitingInput)
    }

    /// Whether it waits for somebody.
    pub fn is_waiting(&self) -> bool {
        matches!(self, Self::AwaitingApproval | Self::AwaitingInput)
    }
}

impl From<&StopReason> for ExecutionStatus {
    fn from(reason: &StopReason) -> Self {
        match reason {
            StopReason::Completed | StopReason::FinishReason => Self::Completed,
            StopReason::Error | StopReason::RetryLimit => Self::Failed,
            StopReason::UserRequested => Self::Cancelled,
            _ => Self::Stopped,
        }
    }
}

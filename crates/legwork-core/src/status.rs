//! The status of an execution.

use crate::outcome::StopReason;
use crate::string_enum::string_enum;

string_enum! {
    /// The status of an execution.
    ExecutionStatus {
        /// It runs, or was interrupted.
        InProgress = "in_progress",
        /// It waits for a person's answer.
        AwaitingApproval = "awaiting_approval",
        /// It waits for an external result, or a point in time.
        AwaitingInput = "awaiting_input",
        /// It ended with an answer.
        Completed = "completed",
        /// A limit, a tool, a hook or a criterion stopped it.
        Stopped = "stopped",
        /// An error ended it.
        Failed = "failed",
        /// A person or the program cancelled it.
        Cancelled = "cancelled",
    }
}

impl ExecutionStatus {
    /// Whether the execution has ended.
    pub fn is_terminal(&self) -> bool {
        !matches!(self, Self::InProgress | Self::AwaitingApproval | Self::AwaitingInput)
    }

    /// Whether it waits for an answer or a result.
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

//! How the command ends: the status of the execution as an exit code.

use std::process::ExitCode;

use legwork::core::ExecutionStatus;

/// How the command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked.
    Done = 0,
    /// The execution failed, or the session or store cannot be used.
    Failed = 1,
    /// The command was used wrongly; nothing happened.
    Usage = 2,
    /// A limit or a request stopped the execution.
    Stopped = 3,
    /// Somebody has to answer first.
    Awaiting = 4,
    /// A person ended it, or left it in progress.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<&ExecutionStatus> for Exit {
    fn from(status: &ExecutionStatus) -> Self {
        match status {
            ExecutionStatus::Completed => Self::Done,
            ExecutionStatus::Failed => Self::Failed,
            ExecutionStatus::AwaitingApproval | ExecutionStatus::AwaitingInput => Self::Awaiting,
            ExecutionStatus::InProgress | ExecutionStatus::Cancelled => Self::Interrupted,
            _ => Self::Stopped,
        }
    }
}

#[cfg(test)]
mod tests;

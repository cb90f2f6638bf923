//! How an execution ends after an error.

use crate::continuation::{ContinuationOutcome, StopSignal};
use crate::error::{ErrorRecord, ErrorSource};
use crate::state::{AgentState, ExecutionStatus};

/// The end of an execution that an error ended.
///
/// The step that failed is recorded like any other, with its calls and errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The final status.
    pub status: ExecutionStatus,
    /// The outcome, which says why.
    pub outcome: ContinuationOutcome,
}

/// Decides how an execution ends after an error; pure.
pub trait ErrorHandler: Send + Sync {
    /// The end of the execution of a state after an error, inside a step or outside.
    fn handle(&self, state: &AgentState, error: &ErrorRecord) -> Failure;
}

/// The default handler: the execution fails, with the stop reason `error`.
#[derive(Debug, Clone, Copy, Default)]
pub struct FailExecution;

impl ErrorHandler for FailExecution {
    fn handle(&self, _: &AgentState, error: &ErrorRecord) -> Failure {
        let source = source(&error.source);
        let outcome = ContinuationOutcome::stop(StopSignal::error(source, error.clone()));
        Failure { status: ExecutionStatus::Failed, outcome }
    }
}

fn source(source: &ErrorSource) -> String {
    match source {
        ErrorSource::Model => "model".to_owned(),
        ErrorSource::Tool(call) => format!("tool call {call}"),
        ErrorSource::Hook(name) | ErrorSource::Criterion(name) => name.clone(),
        ErrorSource::Driver => "driver".to_owned(),
    }
}

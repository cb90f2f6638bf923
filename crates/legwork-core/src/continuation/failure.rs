//! What becomes of an execution that an error ends.

use crate::continuation::{ContinuationOutcome, StopSignal};
use crate::error::{ErrorRecord, ErrorSource};
use crate::state::{AgentState, ExecutionStatus};

/// How an execution ends that an error ended.
///
/// The step that failed is recorded like any other, with all that was done in it and its errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Where the execution stands then.
    pub status: ExecutionStatus,
    /// Why, explained.
    pub outcome: ContinuationOutcome,
}

/// Says what becomes of an execution that an error ends; pure.
pub trait ErrorHandler: Send + Sync {
    /// The end that an error brings a state to, with or without a step under way.
    fn handle(&self, state: &AgentState, error: &ErrorRecord) -> Failure;
}

/// The handler that ships: the execution failed, for the reason `error`.
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

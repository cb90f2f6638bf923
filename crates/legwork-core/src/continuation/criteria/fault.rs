//! The errors of a step, as policies and limits count them.

use crate::error::{ErrorKind, ErrorRecord, ErrorSource};
use crate::state::AgentStep;
use crate::tool::{FailureKind, ToolExecution, ToolOutcome};

/// One error of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) origin: Origin,
    /// The error; its message is a clause.
    pub(super) error: ErrorRecord,
}

/// The origin of an error, as far as policies distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A tool: the model reads it.
    Tool,
    /// A tool, with a hard failure.
    HardTool,
    /// A driver that could not read the model's decision.
    Unreadable,
    /// Anything else that ends the step.
    Other,
}

impl Origin {
    /// Whether it is a failed call, which the model reads.
    pub(super) fn is_call(self) -> bool {
        matches!(self, Self::Tool | Self::HardTool)
    }
}

/// The errors of a step: those that ended it, then those of its tools in call order.
///
/// Errors of hooks do not count. A failed call counts unless a hook replaced its outcome.
pub(super) fn of(step: &AgentStep) -> Vec<Fault> {
    let ended = step.errors.iter().filter(|error| error.ends_step()).map(|error| {
        let unreadable = error.source == ErrorSource::Driver && error.kind == ErrorKind::Validation;
        let origin = if unreadable { Origin::Unreadable } else { Origin::Other };
        Fault { origin, error: error.clone() }
    });
    let mut faults: Vec<_> = ended.collect();
    if faults.is_empty() {
        faults.extend(incomplete(step));
    }
    faults.extend(step.tool_executions().filter_map(|execution| failed(execution)));
    faults
}

/// Whether a step has any error.
pub(super) fn any(step: &AgentStep) -> bool {
    !of(step).is_empty()
}

/// The error of an incomplete answer, for which none was recorded.
fn incomplete(step: &AgentStep) -> Option<Fault> {
    let why = step.response.as_ref()?.incomplete.as_ref()?;
    let words = format!("the answer is incomplete ({why})");
    let error = ErrorRecord::new(ErrorSource::Model, ErrorKind::Incomplete, words);
    Some(Fault { origin: Origin::Other, error })
}

fn failed(execution: &ToolExecution) -> Option<Fault> {
    let ToolOutcome::Failed(failure, message) = &*execution.outcome else { return None };
    let kind = match failure {
        FailureKind::Timeout => ErrorKind::Timeout,
        FailureKind::InvalidArguments | FailureKind::RetriesExhausted => ErrorKind::Validation,
        _ => ErrorKind::Tool,
    };
    let origin = if *failure == FailureKind::Hard { Origin::HardTool } else { Origin::Tool };
    let words = format!("the tool `{}` failed: {message}", execution.call.name);
    let source = ErrorSource::Tool(execution.call.id.clone());
    Some(Fault { origin, error: ErrorRecord::new(source, kind, words) })
}

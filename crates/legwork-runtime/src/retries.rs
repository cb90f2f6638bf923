//! How often a model may try a tool again, in a row.

use legwork_core::tool::FailureKind;
use legwork_core::{AgentState, ToolOutcome, ToolSpec};

/// The attempt that just failed, and how many are left; none when it was the last.
fn attempt(state: &AgentState, spec: &ToolSpec) -> (u32, Option<u32>) {
    let before = state.execution().and_then(|e| e.retries.get(&spec.name)).copied().unwrap_or(0);
    (before.saturating_add(1), spec.max_retries.checked_sub(before).filter(|left| *left > 0))
}

/// Arguments do not fit: tells the model what does not and how many tries are left.
pub(crate) fn invalid(state: &AgentState, spec: &ToolSpec, problem: &str) -> ToolOutcome {
    match attempt(state, spec) {
        (attempt, Some(left)) => {
            let message =
                format!("{problem} This was attempt {attempt}, {left} left. Correct it and retry.");
            ToolOutcome::Failed(FailureKind::InvalidArguments, message)
        }
        (attempt, None) => {
            let message = format!(
                "{problem} This was attempt {attempt} of `{}` in a row; it is not tried again.",
                spec.name
            );
            ToolOutcome::Failed(FailureKind::RetriesExhausted, message)
        }
    }
}

/// A retry that a tool asked for too often becomes a failure that says so.
pub(crate) fn limit(state: &AgentState, spec: &ToolSpec, outcome: ToolOutcome) -> ToolOutcome {
    let ToolOutcome::Retry(message) = outcome else { return outcome };
    match attempt(state, spec) {
        (attempt, Some(left)) => {
            ToolOutcome::Retry(format!("{message} (attempt {attempt}, {left} left)"))
        }
        (attempt, None) => {
            let message =
                format!("{message} (attempt {attempt} of `{}`; it is not tried again)", spec.name);
            ToolOutcome::Failed(FailureKind::RetriesExhausted, message)
        }
    }
}

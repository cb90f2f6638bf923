//! How often a model may try a tool again, in a row.

use crate::state::AgentState;
use crate::tool::{FailureKind, ToolOutcome, ToolSpec};

impl AgentState {
    /// The outcome of a call whose arguments do not fit: it tells the model what does not, and
    /// how many attempts are left.
    pub fn invalid_arguments(&self, spec: &ToolSpec, problem: &str) -> ToolOutcome {
        match self.attempt(spec) {
            (attempt, Some(left)) => {
                let message = format!(
                    "{problem} This was attempt {attempt}, {left} left. Correct it and retry."
                );
                ToolOutcome::Failed(FailureKind::InvalidArguments, message)
            }
            (attempt, None) => {
                let message = format!(
                    "{problem} This was attempt {attempt} of `{}` in a row, and none is left: \
                     do not call it again with the same request.",
                    spec.name
                );
                ToolOutcome::Failed(FailureKind::RetriesExhausted, message)
            }
        }
    }

    /// The outcome of a call, where a retry that the tool asked for once too often is a failure
    /// that says so.
    pub fn limit_retries(&self, spec: &ToolSpec, outcome: ToolOutcome) -> ToolOutcome {
        let ToolOutcome::Retry(message) = outcome else { return outcome };
        match self.attempt(spec) {
            (attempt, Some(left)) => {
                ToolOutcome::Retry(format!("{message} (attempt {attempt}, {left} left)"))
            }
            (attempt, None) => {
                let name = &spec.name;
                let message = format!(
                    "{message} (attempt {attempt} of `{name}` in a row, none left: do not call it \
                     again with the same request)"
                );
                ToolOutcome::Failed(FailureKind::RetriesExhausted, message)
            }
        }
    }

    /// The attempt that just failed, and how many are left; none when it was the last.
    fn attempt(&self, spec: &ToolSpec) -> (u32, Option<u32>) {
        let before = self.execution().and_then(|run| run.retries.get(&spec.name));
        let before = before.copied().unwrap_or(0);
        (before.saturating_add(1), spec.max_retries.checked_sub(before).filter(|left| *left > 0))
    }
}

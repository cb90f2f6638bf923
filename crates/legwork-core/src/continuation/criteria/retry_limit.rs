//! A limit on retries in a row.

use crate::continuation::criteria::fault;
use crate::continuation::criteria::reached::{reached, vote_for};
use crate::continuation::{Criterion, Decision, Error, Kind, StopReason};
use crate::state::{AgentState, AgentStep};
use crate::tool::ToolOutcome;

/// Forbids a further retry after this many in a row: `retry_limit`.
///
/// Counts the erroneous steps in a row up to the latest, and the failures in a row of each
/// tool (`ExecutionState::retries`, where the success of another tool does not reset the
/// count); the larger number applies. A step is erroneous if an error ended it, its answer is
/// incomplete, or a tool failed or asked for a retry in it. The first failure is not a retry:
/// with a limit of 2, the third failure in a row stops.
///
/// It is independent of the budget; the dimension is `retries`. An [`ErrorPolicy`] with `Retry`
/// bounds each class of errors by itself; this limit bounds them together.
///
/// [`ErrorPolicy`]: crate::continuation::ErrorPolicy
#[derive(Debug, Clone, Copy)]
pub struct RetryLimit(u32);

impl RetryLimit {
    /// This many retries in a row.
    pub fn at(most: u32) -> Self {
        Self(most)
    }
}

impl Criterion for RetryLimit {
    fn name(&self) -> &str {
        "retry_limit"
    }

    fn kind(&self) -> Kind {
        Kind::Limit
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        // The first failure has not been retried yet.
        let failures = in_a_row(state).max(of_a_tool(state));
        let Some(retries) = failures.checked_sub(1) else { return Ok(None) };
        let limit = reached("retries".into(), Some(u64::from(self.0)), retries);
        Ok(limit.map(|limit| {
            let words = limit.to_string();
            vote_for(self.name(), StopReason::RetryLimit, limit, words)
        }))
    }
}

fn in_a_row(state: &AgentState) -> u64 {
    let ended = state.step_results().map(|result| &*result.step);
    let steps = ended.chain(state.current_step());
    steps.fold(0, |row, step| if is_erroneous(step) { row + 1 } else { 0 })
}

fn of_a_tool(state: &AgentState) -> u64 {
    let retries = state.execution().into_iter().flat_map(|execution| execution.retries.values());
    retries.copied().max().map_or(0, u64::from)
}

fn is_erroneous(step: &AgentStep) -> bool {
    let retried = |outcome: &ToolOutcome| matches!(outcome, ToolOutcome::Retry(_));
    step.tool_executions().any(|execution| retried(&execution.outcome)) || fault::any(step)
}

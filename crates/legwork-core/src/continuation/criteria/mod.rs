//! The criteria, one per file.

mod callable;
mod content_present;
mod cost_limit;
mod cumulative_time_limit;
mod deadline;
mod error;
mod error_policy;
mod fault;
mod finish_reason;
mod output_accepted;
mod reached;
mod retry_limit;
mod signals;
mod steps_limit;
mod time_limit;
mod token_limit;
mod tool_calls_limit;
mod tool_calls_present;

use std::sync::Arc;

pub use callable::{Callable, criterion};
pub use content_present::ContentPresent;
pub use cost_limit::CostLimit;
pub use cumulative_time_limit::CumulativeTimeLimit;
pub use deadline::Deadline;
pub use error::{Error, UnknownCriterion};
pub use error_policy::{ErrorPolicy, Reaction};
pub use finish_reason::FinishReasonStops;
pub use output_accepted::OutputAccepted;
pub use retry_limit::RetryLimit;
pub use signals::Signals;
pub use steps_limit::StepsLimit;
pub use time_limit::TimeLimit;
pub use token_limit::TokenLimit;
pub use tool_calls_limit::ToolCallsLimit;
pub use tool_calls_present::ToolCallsPresent;

use crate::continuation::Decision;
use crate::state::AgentState;
use crate::time::Micros;

/// When a criterion is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// At the end of each step.
    #[default]
    Ordinary,
    /// At the end of a step after which the execution would go on, and before each step.
    ///
    /// So an execution that gives its final answer in the last allowed step is completed.
    Limit,
    /// Before the calls of a turn run, while they are open in the current step.
    ///
    /// If it forbids, none of them runs and the execution ends.
    Calls,
}

/// Decides on a state whether its execution goes on; pure.
///
/// The state has its current step and, at the end of a step, no outcome yet.
pub trait Criterion<S = AgentState>: Send + Sync {
    /// The name, by which it is shown, replaced and removed.
    fn name(&self) -> &str;

    /// The time until it forbids to go on; none if it does not depend on time.
    ///
    /// Calls that still run then are interrupted.
    fn time_left(&self, state: &S) -> Option<Micros> {
        let _ = state;
        None
    }

    /// When it is evaluated.
    fn kind(&self) -> Kind {
        Kind::Ordinary
    }

    /// Its vote; none abstains.
    ///
    /// # Errors
    /// Why it cannot decide. This forbids the next step, as does a panic.
    fn decide(&self, state: &S) -> Result<Option<Decision>, Error>;
}

/// The default criteria; their limits are those of the budget.
///
/// By name, in this order: `signals`, `errors`, `steps_limit`, `token_limit`,
/// `cost_limit`, `time_limit`, `deadline`, `tool_calls_limit`, `tool_calls_present`,
/// `output_accepted`, `finish_reason`.
pub fn defaults() -> Vec<Arc<dyn Criterion>> {
    vec![
        Arc::new(Signals),
        Arc::new(ErrorPolicy::default()),
        Arc::new(StepsLimit::new()),
        Arc::new(TokenLimit::new()),
        Arc::new(CostLimit::new()),
        Arc::new(TimeLimit::new()),
        Arc::new(Deadline::new()),
        Arc::new(ToolCallsLimit::new()),
        Arc::new(ToolCallsPresent),
        Arc::new(OutputAccepted),
        Arc::new(FinishReasonStops),
    ]
}

/// Replaces the criterion of the same name, or appends it.
pub fn put<S>(criteria: &mut Vec<Arc<dyn Criterion<S>>>, criterion: Arc<dyn Criterion<S>>) {
    match criteria.iter_mut().find(|known| known.name() == criterion.name()) {
        Some(known) => *known = criterion,
        None => criteria.push(criterion),
    }
}

/// Removes the criteria of a name.
///
/// # Errors
/// [`UnknownCriterion`] if there is none.
pub fn remove<S>(
    criteria: &mut Vec<Arc<dyn Criterion<S>>>,
    name: &str,
) -> Result<(), UnknownCriterion> {
    if criteria.iter().any(|known| known.name() == name) {
        criteria.retain(|known| known.name() != name);
        return Ok(());
    }
    let known = criteria.iter().map(|known| known.name().to_owned()).collect();
    Err(UnknownCriterion { name: name.to_owned(), known })
}

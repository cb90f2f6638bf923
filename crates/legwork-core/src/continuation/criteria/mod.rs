//! What votes on going on: a file for each criterion.

mod callable;
mod content_present;
mod cost_limit;
mod cumulative_time_limit;
mod deadline;
mod error_policy;
mod fault;
mod finish_reason;
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
pub use error_policy::{ErrorPolicy, Reaction};
pub use finish_reason::FinishReasonStops;
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

/// When a criterion is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// At the end of each step.
    #[default]
    Ordinary,
    /// Only when the turn would otherwise go on, and before each step.
    ///
    /// So a final answer in the last allowed step is completed, not limited.
    Limit,
    /// Before the calls of a turn run, with the calls open in the step under way.
    ///
    /// A vote that forbids ends the execution, and none of them runs.
    Calls,
}

/// A pure question to the state with the step pending: go on?
///
/// The state is that of an agent, unless it says otherwise.
pub trait Criterion<S = AgentState>: Send + Sync {
    /// The name that explanations show, and that it is changed or switched off by.
    fn name(&self) -> &str;

    /// How long a step may go on until this forbids to; none if time does not matter to it.
    ///
    /// Calls that are under way then are cut off.
    fn time_left(&self, state: &S) -> Option<Micros> {
        let _ = state;
        None
    }

    /// When it is asked.
    fn kind(&self) -> Kind {
        Kind::Ordinary
    }

    /// Its vote; none abstains.
    ///
    /// # Errors
    /// A criterion that fails forbids the next step, with this error in words.
    fn decide(&self, state: &S) -> Result<Option<Decision>, String>;
}

/// The criteria that ship on.
///
/// By name, in this order: `signals`, `errors`, `steps_limit`, `token_limit`,
/// `cost_limit`, `time_limit`, `deadline`, `tool_calls_limit`, `tool_calls_present`,
/// `finish_reason`. The limits are those of the budget.
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
        Arc::new(FinishReasonStops),
    ]
}

/// Puts a criterion in the place of the one of its name, or at the end.
pub fn put<S>(criteria: &mut Vec<Arc<dyn Criterion<S>>>, criterion: Arc<dyn Criterion<S>>) {
    match criteria.iter_mut().find(|known| known.name() == criterion.name()) {
        Some(known) => *known = criterion,
        None => criteria.push(criterion),
    }
}

/// Switches off the criteria of a name.
///
/// # Errors
/// That there is none, and which there are, in words.
pub fn remove<S>(criteria: &mut Vec<Arc<dyn Criterion<S>>>, name: &str) -> Result<(), String> {
    if criteria.iter().any(|known| known.name() == name) {
        criteria.retain(|known| known.name() != name);
        return Ok(());
    }
    let known: Vec<_> = criteria.iter().map(|known| known.name()).collect();
    Err(format!("there is no criterion `{name}`: there are {}", known.join(", ")))
}

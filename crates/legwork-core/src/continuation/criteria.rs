//! What votes on going on.

use std::sync::Arc;

use crate::continuation::{Decision, StopReason, StopSignal};
use crate::inference::FinishReason;
use crate::state::AgentState;

/// A pure question to the state with the step pending: go on?
pub trait Criterion: Send + Sync {
    /// The name that explanations show.
    fn name(&self) -> &str;

    /// Its vote; none abstains.
    ///
    /// # Errors
    /// A criterion that fails forbids the next step, with this error in words.
    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, String>;
}

/// The criteria that ship on: signals, errors, limits, tool calls, finish reason.
pub fn defaults() -> Vec<Arc<dyn Criterion>> {
    vec![
        Arc::new(Signals),
        Arc::new(ErrorPolicy),
        Arc::new(BudgetLimit),
        Arc::new(ToolCallsPresent),
        Arc::new(FinishReasonStops),
    ]
}

/// Forbids when a stop signal was raised.
#[derive(Debug, Clone, Copy)]
pub struct Signals;

impl Criterion for Signals {
    fn name(&self) -> &str {
        "signals"
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, String> {
        Ok(state.stop_signal().cloned().map(Decision::Forbid))
    }
}

/// Forbids when the step has an error of the model or the driver, or half an answer.
///
/// Errors of tools that the model was told of do not stop.
#[derive(Debug, Clone, Copy)]
pub struct ErrorPolicy;

impl Criterion for ErrorPolicy {
    fn name(&self) -> &str {
        "errors"
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, String> {
        let Some(step) = state.current_step() else { return Ok(None) };
        let error = step.errors.iter().find(|error| error.ends_step());
        let half = step.response.as_ref().and_then(|response| response.incomplete.as_ref());
        let words = match (error, half) {
            (Some(error), _) => error.message.clone(),
            (None, Some(why)) => format!("that the answer is incomplete ({why})"),
            (None, None) => return Ok(None),
        };
        Ok(Some(Decision::Forbid(StopSignal::new(StopReason::Error, "errors", words))))
    }
}

/// Forbids the next step when a limit of the budget is reached.
///
/// It votes only when the turn would otherwise go on.
#[derive(Debug, Clone, Copy)]
pub struct BudgetLimit;

impl Criterion for BudgetLimit {
    fn name(&self) -> &str {
        "budget"
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, String> {
        if !state.awaits_model() {
            return Ok(None);
        }
        let limit = state.ledger().forbids_step(state.now().wall);
        Ok(limit.map(|limit| Decision::Forbid(StopSignal::limit("budget", limit))))
    }
}

/// Asks to go on while an answered call awaits the model.
#[derive(Debug, Clone, Copy)]
pub struct ToolCallsPresent;

impl Criterion for ToolCallsPresent {
    fn name(&self) -> &str {
        "tool_calls_present"
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, String> {
        Ok(state.awaits_model().then_some(Decision::Request))
    }
}

/// Stops when the model ended its answer.
#[derive(Debug, Clone, Copy)]
pub struct FinishReasonStops;

impl Criterion for FinishReasonStops {
    fn name(&self) -> &str {
        "finish_reason"
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, String> {
        let response = state.current_step().and_then(|step| step.response.as_ref());
        // A finish reason beside tool calls does not stop.
        let Some(response) = response.filter(|_| !state.awaits_model()) else { return Ok(None) };
        let (reason, words) = match &response.finish {
            FinishReason::Stop | FinishReason::ToolCalls => {
                (StopReason::Completed, "that the model is done".to_owned())
            }
            other => (StopReason::FinishReason, format!("that the answer ended with {other}")),
        };
        Ok(Some(Decision::Stop(StopSignal::new(reason, "finish_reason", words))))
    }
}

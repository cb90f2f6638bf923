//! The lifecycle that decides whether an execution goes on.

use std::sync::Arc;

use legwork_core::continuation::{ErrorHandler as _, FailExecution, Failure};
use legwork_core::event::ExecutionFinished;
use legwork_core::{
    AgentState, ContinuationOutcome, ErrorRecord, Event, ExecutionStatus, Progress as _,
    StepResult, StopSignal,
};

use crate::event::EventKind;
use crate::lifecycle::{Lifecycle, StepView};

/// The lifecycle that decides whether an execution goes on, and records its steps and its end.
///
/// It runs before all other lifecycles. `on_step_end` decides: it returns the state with a
/// provisional outcome, and is called again if a hook changed the votes or stop signals. For
/// safety the loop itself checks the limits before a step, and records a step or an end that
/// Core did not record.
///
/// A state that it returns must extend the one it was given. If it does not, or if a method
/// panics, the loop records in its place, and the violation is an error of the execution.
pub trait Core: Lifecycle {
    /// Records the current step with its outcome, and emits `continuation_evaluated`.
    fn record_step(
        &self,
        state: AgentState,
        outcome: Arc<ContinuationOutcome>,
        view: &StepView,
    ) -> AgentState {
        let step = state.execution().and_then(|execution| execution.current.clone());
        let Some(step) = step else { return state };
        view.events().emit(|| EventKind::ContinuationEvaluated { outcome: Arc::clone(&outcome) });
        let (took, completed_at) = (state.step_time(), state.now().wall);
        state.record_step_result(StepResult { step, outcome, took, completed_at })
    }

    /// Decides how an execution ends after an error; by default it fails.
    ///
    /// A status that is not final is replaced by `failed`.
    fn handle_error(&self, state: &AgentState, error: &ErrorRecord, view: &StepView) -> Failure {
        let _ = view;
        FailExecution.handle(state, error)
    }

    /// Ends the execution with this outcome, and records its final status.
    ///
    /// If an error ended it, emits `execution_failed` and calls [`Core::handle_error`].
    fn end_execution(
        &self,
        state: AgentState,
        outcome: Arc<ContinuationOutcome>,
        view: &StepView,
    ) -> AgentState {
        let finished = match outcome.signal.as_ref().and_then(StopSignal::to_error) {
            None => {
                let reason = outcome.stop_reason();
                let status = reason.map_or(ExecutionStatus::Stopped, ExecutionStatus::from);
                ExecutionFinished { status, outcome }
            }
            Some(error) => {
                view.events().emit(|| EventKind::ExecutionFailed { error: error.clone() });
                failed(self.handle_error(&state, &error, view), &outcome, error)
            }
        };
        state.with(Event::ExecutionFinished(finished))
    }
}

/// The event for the end of an execution after an error.
fn failed(
    failure: Failure,
    decided: &ContinuationOutcome,
    error: ErrorRecord,
) -> ExecutionFinished {
    let Failure { status, mut outcome } = failure;
    outcome.votes.clone_from(&decided.votes);
    if let Some(signal) = &mut outcome.signal {
        // Whether the execution may be resumed depends on the error.
        signal.error.get_or_insert_with(|| Box::new(error));
    }
    // Without a final status the loop would end the execution again and again.
    let ended = Some(status).filter(ExecutionStatus::is_terminal);
    let status = ended.unwrap_or(ExecutionStatus::Failed);
    ExecutionFinished { status, outcome: Arc::new(outcome) }
}

//! What every state says that goes on step by step.

use std::sync::Arc;

use crate::budget::Amounts;
use crate::error::ErrorRecord;
use crate::event::{Event, StepFinished};
use crate::outcome::{ContinuationOutcome, StopSignal, Vote};
use crate::state::{AgentState, AgentStep, ExecutionStatus, StepResult};

/// A state that goes on step by step, asked the same questions whatever its steps are.
pub trait Progress {
    /// One step.
    type Step;

    /// Where it stands; none before anything began.
    fn status(&self) -> Option<&ExecutionStatus>;

    /// The steps that ended, oldest first.
    fn step_results(&self) -> impl DoubleEndedIterator<Item = &Arc<StepResult<Self::Step>>>;

    /// The step that ended last.
    fn last_step_result(&self) -> Option<&Arc<StepResult<Self::Step>>> {
        self.step_results().next_back()
    }

    /// How many steps ended.
    fn step_count(&self) -> usize;

    /// The step about to be recorded, while its end is being decided.
    fn ending_step(&self) -> Option<&Self::Step>;

    /// The latest outcome: the provisional one of the step pending, else the recorded.
    fn continuation_outcome(&self) -> Option<&Arc<ContinuationOutcome>>;

    /// Votes of hooks on the step pending.
    fn votes(&self) -> &[Vote];

    /// Requests to stop, in the order they came.
    fn stop_signals(&self) -> &[StopSignal];

    /// The request to stop that decides, the first of the highest priority.
    fn stop_signal(&self) -> Option<&StopSignal> {
        self.stop_signals().iter().min_by_key(|signal| signal.reason.priority())
    }

    /// What was used.
    fn used(&self) -> &Amounts;

    /// All errors.
    fn errors(&self) -> impl Iterator<Item = &ErrorRecord>;

    /// Whether another step is to be made, by the latest outcome.
    fn has_next(&self) -> bool {
        let runs = self.status().is_some_and(|status| *status == ExecutionStatus::InProgress);
        runs && self.continuation_outcome().is_none_or(|outcome| outcome.should_continue())
    }

    /// The same with the step pending ended by this result.
    #[must_use]
    fn record_step_result(self, result: StepResult<Self::Step>) -> Self;
}

/// The questions have the answers of the methods of the same names.
impl Progress for AgentState {
    type Step = AgentStep;

    fn status(&self) -> Option<&ExecutionStatus> {
        self.status()
    }

    fn step_results(&self) -> impl DoubleEndedIterator<Item = &Arc<StepResult>> {
        self.step_results()
    }

    fn last_step_result(&self) -> Option<&Arc<StepResult>> {
        self.last_step_result()
    }

    fn step_count(&self) -> usize {
        self.execution().map_or(0, |execution| execution.results.len())
    }

    fn ending_step(&self) -> Option<&AgentStep> {
        self.ending_step()
    }

    fn continuation_outcome(&self) -> Option<&Arc<ContinuationOutcome>> {
        self.continuation_outcome()
    }

    fn votes(&self) -> &[Vote] {
        self.votes()
    }

    fn stop_signals(&self) -> &[StopSignal] {
        self.stop_signals()
    }

    fn used(&self) -> &Amounts {
        self.used()
    }

    fn errors(&self) -> impl Iterator<Item = &ErrorRecord> {
        self.errors()
    }

    /// The step is the one under way: what is recorded is its outcome and its time.
    fn record_step_result(self, result: StepResult) -> Self {
        let StepResult { outcome, took, .. } = result;
        self.with(Event::StepFinished(StepFinished { outcome, took }))
    }
}

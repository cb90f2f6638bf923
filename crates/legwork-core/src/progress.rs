//! What the states of agents, chats and collaborations have in common.

use std::sync::Arc;

use crate::budget::Amounts;
use crate::error::ErrorRecord;
use crate::event::{Event, StepFinished};
use crate::outcome::{ContinuationOutcome, StopSignal, Vote};
use crate::state::{AgentState, AgentStep, ExecutionStatus, StepResult};

/// A state that advances in steps: of an agent, a task with tools, a chat, a collaboration.
///
/// Criteria are generic over it.
pub trait Progress {
    /// The type of a step.
    type Step;

    /// The status; none before the first execution.
    fn status(&self) -> Option<&ExecutionStatus>;

    /// The steps that ended, oldest first.
    fn step_results(&self) -> impl DoubleEndedIterator<Item = &Arc<StepResult<Self::Step>>>;

    /// The step that ended last.
    fn last_step_result(&self) -> Option<&Arc<StepResult<Self::Step>>> {
        self.step_results().next_back()
    }

    /// How many steps ended.
    fn step_count(&self) -> usize;

    /// The current step, while its provisional outcome is shown to hooks.
    fn ending_step(&self) -> Option<&Self::Step>;

    /// The provisional outcome of the current step, or else the last one recorded.
    fn continuation_outcome(&self) -> Option<&Arc<ContinuationOutcome>>;

    /// The votes of hooks on the current step.
    fn votes(&self) -> &[Vote];

    /// The requests to stop, oldest first.
    fn stop_signals(&self) -> &[StopSignal];

    /// The request to stop with the highest priority; of equals the first.
    fn stop_signal(&self) -> Option<&StopSignal> {
        self.stop_signals().iter().min_by_key(|signal| signal.reason.priority())
    }

    /// What the current execution used.
    fn used(&self) -> &Amounts;

    /// All errors.
    fn errors(&self) -> impl Iterator<Item = &ErrorRecord>;

    /// Whether another step follows, by the latest outcome.
    fn has_next(&self) -> bool {
        let runs = self.status().is_some_and(|status| *status == ExecutionStatus::InProgress);
        runs && self.continuation_outcome().is_none_or(|outcome| outcome.should_continue())
    }

    /// The same with the current step ended by this result.
    #[must_use]
    fn record_step_result(self, result: StepResult<Self::Step>) -> Self;
}

/// Each method calls the method of the same name.
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

    /// Records the outcome and the time of the current step; `result.step` is ignored.
    fn record_step_result(self, result: StepResult) -> Self {
        let StepResult { step, outcome, took, .. } = result;
        // Shared, the step would be copied to be changed.
        drop(step);
        self.with(Event::StepFinished(StepFinished { outcome, took }))
    }
}

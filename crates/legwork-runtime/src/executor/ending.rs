//! What becomes of the other calls of a turn once one of them gave the output.

use std::collections::VecDeque;

use legwork_core::AgentState;
use legwork_core::tool::EndStrategy;

use crate::executor::job::Job;

/// How a turn ends in which calls may give the output.
pub(super) struct Ending {
    strategy: EndStrategy,
    /// Whether a call gave it.
    is_given: bool,
}

impl Ending {
    /// For a turn, some of whose calls may have run before.
    pub(super) fn of(strategy: EndStrategy, state: &AgentState) -> Self {
        let mut ending = Self { strategy, is_given: false };
        if state.current_step().is_some_and(|step| step.calls.len() > 1) {
            ending.note(state, state.calls().map(|(index, _)| index));
        }
        ending
    }

    /// Whether calls that have not begun do not run any more: the user said something, or the
    /// output is given.
    pub(super) fn leaves_out(&self, state: &AgentState) -> bool {
        self.is_given || state.context().steered
    }

    /// Notes what came of calls.
    pub(super) fn note(&mut self, state: &AgentState, mut ran: impl Iterator<Item = u32>) {
        self.is_given = self.is_given
            || self.strategy != EndStrategy::Exhaustive
                && ran.any(|index| state.gave_output(index));
    }

    /// The calls in the order in which they are run.
    pub(super) fn ordered(&self, jobs: VecDeque<Job>) -> VecDeque<Job> {
        if self.strategy != EndStrategy::Early || !jobs.iter().any(gives_output) {
            return jobs;
        }
        let (first, rest): (VecDeque<_>, VecDeque<_>) = jobs.into_iter().partition(gives_output);
        first.into_iter().chain(rest).collect()
    }

    /// Whether a call may not run beside those before it: it depends on what comes of them.
    pub(super) fn waits(&self, job: &Job, before: &VecDeque<Job>) -> bool {
        match self.strategy {
            EndStrategy::Exhaustive => false,
            EndStrategy::Graceful => gives_output(job) && before.iter().any(gives_output),
            EndStrategy::Early => before.iter().any(gives_output),
        }
    }

    /// Takes out the calls that do not run, as one of the turn gave the output. One that began or
    /// was approved is never dropped.
    pub(super) fn dropped(&self, jobs: &mut VecDeque<Job>) -> VecDeque<Job> {
        if !self.is_given {
            return VecDeque::new();
        }
        let runs = |job: &Job| {
            let dropped = self.strategy == EndStrategy::Early || gives_output(job);
            !dropped || job.answered || !job.is_fresh()
        };
        let (kept, dropped) = std::mem::take(jobs).into_iter().partition(runs);
        *jobs = kept;
        dropped
    }
}

/// Whether a call gives the output of the execution, if it succeeds.
fn gives_output(job: &Job) -> bool {
    job.spec.is_output
}

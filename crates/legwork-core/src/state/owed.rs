//! Which effect is owed next: a pure function of the state.

use crate::error::ErrorRecord;
use crate::state::{AgentState, AgentStep, CallStatus};

/// The effect that is owed next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owed {
    /// Nothing: no execution is under way.
    Nothing,
    /// Send a request to the model.
    Infer,
    /// Judge calls: validate their arguments and ask hooks.
    JudgeCalls,
    /// Run calls, or resolve those in doubt.
    RunCalls,
    /// Pause: a pending call has to be answered first.
    Pause,
    /// End the step: decide whether the execution goes on.
    EndStep,
    /// End the execution.
    Stop,
}

impl AgentState {
    /// The effect that is owed next. It does not change the state.
    pub fn owed(&self) -> Owed {
        let Some(execution) = self.execution().filter(|e| !e.status.is_terminal()) else {
            return Owed::Nothing;
        };
        let Some(step) = &execution.current else {
            let stopped = execution.outcome.as_ref().is_some_and(|o| !o.should_continue());
            let signalled = !execution.signals.is_empty();
            return if stopped || signalled { Owed::Stop } else { Owed::Infer };
        };
        let Some(response) = &step.response else {
            let failed = step.errors.iter().any(ErrorRecord::ends_step);
            let over = failed || !execution.signals.is_empty();
            return if over { Owed::EndStep } else { Owed::Infer };
        };
        if response.incomplete.is_some() {
            return Owed::EndStep;
        }
        self.owed_by_calls(step)
    }

    /// While a call is in doubt no other call of its turn begins: those after it may depend on
    /// its effect. Beside one that waits for another reason the rest of the turn runs first, as
    /// far as it may.
    fn owed_by_calls(&self, step: &AgentStep) -> Owed {
        if step.calls.are_answered() {
            return Owed::EndStep;
        }
        let waits = !self.pending().is_empty() && !self.may_pass(step);
        let mut owed = Owed::EndStep;
        for (index, slot) in step.calls.iter().enumerate() {
            owed = match &slot.status {
                CallStatus::Done(_) => continue,
                _ if self.is_pending(index) && !waits => continue,
                _ if waits => return Owed::Pause,
                CallStatus::Open if !self.is_judged(index) => return Owed::JudgeCalls,
                CallStatus::Open | CallStatus::Ready | CallStatus::Started(_) => Owed::RunCalls,
            };
        }
        owed
    }

    /// Whether calls beside those that wait are to run.
    fn may_pass(&self, step: &AgentStep) -> bool {
        if self.pending().iter().any(|pending| pending.reason.holds_turn()) {
            return false;
        }
        let others = || (0..).zip(step.calls.iter()).filter(|(index, _)| !self.is_pending(*index));
        // Each answer begins another pass: one that is approved may be held back all the same.
        !self.0.transient.passed && others().any(|(_, slot)| slot.execution().is_none())
    }

    /// Whether the call at an index waits for an answer.
    pub fn is_pending(&self, index: usize) -> bool {
        self.pending().iter().any(|pending| pending.index as usize == index)
    }
}

//! The pure question: which effect is owed now?

use crate::error::ErrorRecord;
use crate::state::{AgentState, AgentStep, CallStatus};

/// Which effect is owed now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owed {
    /// None: no execution is under way.
    Nothing,
    /// A call to the model.
    Infer,
    /// Calls are to be checked and shown to hooks.
    JudgeCalls,
    /// Calls are to be run, or answered if they are in doubt.
    RunCalls,
    /// Somebody has to answer first.
    Pause,
    /// The step is over: decide how to go on.
    EndStep,
    /// The execution is over: end it.
    Stop,
}

impl AgentState {
    /// Which effect is owed now. Asking changes nothing.
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
        self.owed_by_calls(step, !execution.pending.is_empty())
    }

    /// While a call waits for a person nothing else of its turn begins: what comes behind
    /// it may build on what it did, or did not do.
    fn owed_by_calls(&self, step: &AgentStep, waits: bool) -> Owed {
        if step.calls.are_answered() {
            return Owed::EndStep;
        }
        let mut owed = Owed::EndStep;
        for (index, slot) in step.calls.iter().enumerate() {
            owed = match &slot.status {
                CallStatus::Done(_) => continue,
                _ if waits => return Owed::Pause,
                CallStatus::Open if !self.is_judged(index) => return Owed::JudgeCalls,
                CallStatus::Open | CallStatus::Ready | CallStatus::Started(_) => Owed::RunCalls,
            };
        }
        owed
    }

    /// Whether a call waits for a person's answer.
    pub fn is_pending(&self, index: usize) -> bool {
        self.pending().iter().any(|pending| pending.index as usize == index)
    }
}

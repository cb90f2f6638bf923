//! What events charge to the budget.

use super::Event;
use crate::budget::Amounts;

impl Event {
    /// What it charges to the budget of its session; zero for most events.
    ///
    /// In addition the ledger charges what is still reserved for calls that broke off, when the
    /// step ends or another inference begins.
    pub fn charged(&self) -> Amounts {
        let none = Amounts::default();
        match self {
            Self::InferenceStarted(started) => Amounts { steps: started.reserved.steps, ..none },
            Self::InferenceFailed(failed) => failed.charged,
            Self::InferenceInterrupted(left) => left.charged,
            Self::Responded(responded) => responded.charged,
            // It is no step, whatever it says.
            Self::AuxiliaryFinished(left) => Amounts { steps: 0, ..left.charged },
            Self::ToolStarted(started) => Amounts { tool_calls: u64::from(!started.again), ..none },
            Self::ToolFinished(finished) => finished.used,
            Self::Paused(paused) => paused.used,
            Self::Worked(worked) => Amounts { active_time: worked.took, ..none },
            Self::StepFinished(finished) => Amounts { active_time: finished.took, ..none },
            _ => none,
        }
    }
}

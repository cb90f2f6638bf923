//! When a step is recorded.

use legwork_core::ContinuationOutcome;

use super::point::{constructor, point, prepares, stops, votes};

point! {
    /// A step that is recorded, with a provisional outcome.
    StepEnd, StepEnd, |_| true
}
stops!(StepEnd);
prepares!(StepEnd);
votes!(StepEnd);

impl StepEnd {
    /// Whether the execution goes on as it stands, and why; votes may change it.
    pub fn outcome(&self) -> Option<&ContinuationOutcome> {
        self.state.continuation_outcome().map(|outcome| &**outcome)
    }
}

constructor! {
    /// A hook that runs when a step is recorded.
    step_end, StepEnd
}

//! Before a stop is carried out.

use legwork_core::{ContinuationOutcome, StopReason};

use super::point::{constructor, point, prepares, stops};

point! {
    /// A stop that is about to be carried out.
    Stop, BeforeStop, |_| true
}
stops!(Stop);
prepares!(Stop);

impl Stop {
    /// Why the execution stops.
    pub fn reason(&self) -> Option<&StopReason> {
        self.state.stop_reason()
    }

    /// The explained outcome of the step.
    pub fn outcome(&self) -> Option<&ContinuationOutcome> {
        self.state.continuation_outcome().map(|outcome| &**outcome)
    }

    /// The same, not to be carried out: the execution goes on. A stop that a criterion
    /// forbids to prevent, such as a limit, is carried out all the same.
    #[must_use]
    pub fn prevent(self) -> Self {
        Self { state: self.state.with_stop_prevented(&*self.hook), ..self }
    }
}

constructor! {
    /// A hook that runs before a stop is carried out.
    before_stop, Stop
}

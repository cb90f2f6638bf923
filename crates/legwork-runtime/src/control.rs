//! How somebody outside ends a running execution, or leaves it where it is.

use legwork_port::Cancellation;

/// How somebody outside influences a running execution.
#[derive(Debug, Clone, Default)]
pub struct Control {
    /// Ends the execution as cancelled.
    pub cancel: Cancellation,
    /// Leaves the execution where it is, in progress and resumable.
    pub interrupt: Cancellation,
    /// Leaves the execution where it is once the step under way has ended.
    pub rest: Cancellation,
}

impl Control {
    /// Whether either was raised.
    pub fn is_raised(&self) -> bool {
        self.cancel.is_cancelled() || self.interrupt.is_cancelled()
    }

    /// Waits until either is raised.
    pub async fn raised(&self) {
        self.cancel.cancelled_or(&self.interrupt).await;
    }

    /// Both, as what ends a wait.
    pub(crate) fn both(&self) -> [Cancellation; 2] {
        [self.cancel.clone(), self.interrupt.clone()]
    }
}

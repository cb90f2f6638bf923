//! Once, when an execution is over.

use legwork_core::{ExecutionStatus, Message};

use super::point::{constructor, point};

point! {
    /// An execution that is over: its status is final.
    ExecutionEnd, ExecutionEnd, |_| true
}

impl ExecutionEnd {
    /// How it ended.
    pub fn status(&self) -> Option<&ExecutionStatus> {
        self.state.status()
    }

    /// The same with a message behind the conversation, for the next execution.
    #[must_use]
    pub fn with_message(self, message: impl Into<Message>) -> Self {
        Self { state: self.state.with_message(message), ..self }
    }
}

constructor! {
    /// A hook that runs once, when an execution is over.
    execution_end, ExecutionEnd
}

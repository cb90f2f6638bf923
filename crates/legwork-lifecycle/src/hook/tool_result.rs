//! After each tool call.

use legwork_core::message::ResultPart;
use legwork_core::tool::ToolExecution;
use legwork_core::{ToolCall, ToolOutcome};
use serde_json::Value;

use super::point::{constructor, point, stops};

point! {
    /// A call of a tool that was answered.
    ToolResult, AfterToolUse, |state| state.current_tool_execution().is_some()
}
stops!(ToolResult);

impl ToolResult {
    /// What came of the call.
    pub fn execution(&self) -> Option<&ToolExecution> {
        self.state.current_tool_execution().map(|pending| &*pending.execution)
    }

    /// The call.
    pub fn call(&self) -> Option<&ToolCall> {
        self.execution().map(|execution| &*execution.call)
    }

    /// Its outcome.
    pub fn outcome(&self) -> Option<&ToolOutcome> {
        self.execution().map(|execution| &*execution.outcome)
    }

    /// The same with this text as its answer.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {
        self.with_outcome(ToolOutcome::text(text))
    }

    /// The same with this value as its answer.
    #[must_use]
    pub fn with_value(self, value: Value) -> Self {
        self.with_outcome(ToolOutcome::value(value))
    }

    /// The same with these parts as its answer.
    #[must_use]
    pub fn with_parts(self, parts: impl IntoIterator<Item = ResultPart>) -> Self {
        self.with_outcome(ToolOutcome::parts(parts))
    }

    /// The same as a call that failed, in words for the model.
    #[must_use]
    pub fn with_failure(self, message: impl Into<String>) -> Self {
        self.with_outcome(ToolOutcome::failed(message))
    }

    fn with_outcome(self, outcome: ToolOutcome) -> Self {
        let Some(index) = self.state.current_tool_execution().map(|pending| pending.index) else {
            return self;
        };
        Self { state: self.state.with_tool_outcome(index, outcome), ..self }
    }
}

constructor! {
    /// A hook that runs after each tool call, in call order, when all calls of the turn ended.
    after_tool_use, ToolResult
}

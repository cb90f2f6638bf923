//! Before each tool call.

use legwork_core::ToolCall;
use legwork_core::state::CallVerdict;
use serde_json::Value;

use super::point::{constructor, point, stops};

point! {
    /// A call of a tool that is about to run.
    ToolUse, BeforeToolUse, |state| state.current_tool_call().is_some()
}
stops!(ToolUse);

impl ToolUse {
    /// The call as the model made it.
    pub fn call(&self) -> Option<&ToolCall> {
        self.state.current_tool_call().map(|pending| &*pending.call)
    }

    /// The name of the tool.
    pub fn name(&self) -> &str {
        self.call().map_or("", |call| &call.name)
    }

    /// The arguments that it would run with.
    pub fn arguments(&self) -> &Value {
        self.state.current_tool_call().map_or(&Value::Null, |pending| &pending.arguments)
    }

    /// What a hook before this one decided about the call.
    pub fn verdict(&self) -> Option<&CallVerdict> {
        self.state.current_tool_call()?.verdict.as_ref()
    }

    /// The same with other arguments; they are held to the tool's schema.
    #[must_use]
    pub fn with_arguments(self, arguments: Value) -> Self {
        Self { state: self.state.with_tool_call_arguments(arguments), ..self }
    }

    /// The same, not to be run: the model is told why.
    #[must_use]
    pub fn block(self, reason: impl Into<String>) -> Self {
        Self { state: self.state.with_tool_call_blocked(&*self.hook, reason), ..self }
    }

    /// The same, not to be run and answered with this value. A call that was blocked stays
    /// blocked.
    #[must_use]
    pub fn answer(self, value: Value) -> Self {
        match self.verdict() {
            Some(CallVerdict::Block { .. }) => self,
            _ => Self { state: self.state.with_tool_call_answered(value), ..self },
        }
    }
}

constructor! {
    /// A hook that runs before each tool call. As a [gate](super::Hook::gate) it blocks the
    /// call when it fails.
    before_tool_use, ToolUse
}

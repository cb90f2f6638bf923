//! The points in the life of an execution.

/// A point in the life of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Trigger {
    /// Once, before the first step.
    ExecutionStart,
    /// Before each inference.
    StepStart,
    /// The request is built and not sent.
    BeforeInference,
    /// The response is complete.
    AfterInference,
    /// Per call, in call order, before any runs.
    BeforeToolUse,
    /// Per call, in call order, after all ran.
    AfterToolUse,
    /// An error was recorded.
    Error,
    /// The step is recorded with a provisional outcome.
    StepEnd,
    /// A stop is about to be carried out.
    BeforeStop,
    /// Once, with the final status set.
    ExecutionEnd,
}

impl Trigger {
    /// All of them, in the order they fire.
    pub const ALL: [Self; 10] = [
        Self::ExecutionStart,
        Self::StepStart,
        Self::BeforeInference,
        Self::AfterInference,
        Self::BeforeToolUse,
        Self::AfterToolUse,
        Self::Error,
        Self::StepEnd,
        Self::BeforeStop,
        Self::ExecutionEnd,
    ];

    /// The method that it calls.
    pub fn name(self) -> &'static str {
        match self {
            Self::ExecutionStart => "on_execution_start",
            Self::StepStart => "on_step_start",
            Self::BeforeInference => "on_before_inference",
            Self::AfterInference => "on_after_inference",
            Self::BeforeToolUse => "on_before_tool_use",
            Self::AfterToolUse => "on_after_tool_use",
            Self::Error => "on_error",
            Self::StepEnd => "on_step_end",
            Self::BeforeStop => "on_before_stop",
            Self::ExecutionEnd => "on_execution_end",
        }
    }
}

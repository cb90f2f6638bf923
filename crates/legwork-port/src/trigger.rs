//! The points of an execution at which lifecycles are called.

/// A point of an execution at which lifecycles are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Trigger {
    /// Once, before the first step.
    ExecutionStart,
    /// Before each step.
    StepStart,
    /// Before a summary takes the place of the beginning of the conversation.
    BeforeCompaction,
    /// When a request is built, before it is sent.
    BeforeInference,
    /// When the response is committed.
    AfterInference,
    /// For each call, in call order, before any runs.
    BeforeToolUse,
    /// For each call, in call order, after all ran.
    AfterToolUse,
    /// After an error was recorded.
    Error,
    /// When the step has a provisional outcome.
    StepEnd,
    /// Before a stop is carried out.
    BeforeStop,
    /// Once, after the final status is set.
    ExecutionEnd,
}

impl Trigger {
    /// All triggers, in the order in which they fire.
    pub const ALL: [Self; 11] = [
        Self::ExecutionStart,
        Self::StepStart,
        Self::BeforeCompaction,
        Self::BeforeInference,
        Self::AfterInference,
        Self::BeforeToolUse,
        Self::AfterToolUse,
        Self::Error,
        Self::StepEnd,
        Self::BeforeStop,
        Self::ExecutionEnd,
    ];

    /// The name of the lifecycle method for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ExecutionStart => "on_execution_start",
            Self::StepStart => "on_step_start",
            Self::BeforeCompaction => "on_before_compaction",
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

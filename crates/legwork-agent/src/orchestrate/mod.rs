//! What makes steps: one handle for an agent, a task with tools, a chat, a collaboration.
//!
//! Each is iterated by the same [`StepByStep`]; what stands after a step is a value.

mod step_by_step;
mod tool_use;

pub use step_by_step::StepByStep;
pub use tool_use::{ToolUse, ToolUseRun};

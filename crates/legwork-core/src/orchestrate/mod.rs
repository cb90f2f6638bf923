//! What goes on step by step: the states, and what they say when asked.
//!
//! Each is a value: whoever keeps it after a step goes on exactly there. Who makes the
//! steps is the runtime's matter.

mod progress;
mod tool_use;

pub use progress::Progress;
pub use tool_use::ToolUseState;

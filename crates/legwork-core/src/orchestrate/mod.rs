//! What goes on step by step: the states, and what they say when asked.
//!
//! Each is a value: whoever keeps it after a step goes on exactly there. Who makes the
//! steps is the runtime's matter.

mod chat;
mod collaboration;
mod criteria;
mod tool_use;
mod transitions;
mod turn;

pub use crate::progress::Progress;
pub use chat::ChatState;
pub use collaboration::{CollaborationState, Member};
pub use criteria::{BudgetLimit, Concluded, Conversation, Said, TurnErrors, Turns};
pub use tool_use::ToolUseState;
pub use transitions::Refusal;
pub use turn::{Line, Turn};

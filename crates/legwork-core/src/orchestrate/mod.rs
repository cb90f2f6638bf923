//! The states of a task with tools, a chat and a collaboration.
//!
//! Each is a serializable value without a journal: a program that keeps it after a step can go
//! on from there. The crate `legwork-orchestrate` makes the steps.

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

//! What goes on step by step: the states, and what they say when asked.
//!
//! Each is a value: whoever keeps it after a step goes on exactly there. Who makes the
//! steps is the runtime's matter.

mod chat;
mod collaboration;
mod criteria;
mod progress;
mod tool_use;
mod transitions;
mod turn;

pub use chat::ChatState;
pub use collaboration::{CollaborationState, Member};
pub use criteria::{BudgetLimit, Concluded, Conversation, Said, TurnErrors, Turns};
pub use progress::Progress;
pub use tool_use::ToolUseState;
pub use transitions::Refusal;
pub use turn::{Line, Turn};

//! What makes steps: one handle for an agent, a task with tools, a chat, a collaboration.
//!
//! Each is iterated by the same [`StepByStep`]; what stands after a step is a value of
//! [`legwork_core::orchestrate`].

mod agent_speaker;
mod chat;
mod collaboration;
mod iteration;
mod lead;
mod maker;
mod participant;
mod parts;
mod selector;
mod settings;
mod speaker;
mod step_by_step;
mod tool_use;

pub use chat::{Chat, ChatBuilder};
pub use collaboration::{Collaboration, CollaborationBuilder, CollaborationRun};
pub use iteration::{ChatRun, Iteration};
pub use participant::Participant;
pub use selector::{Choice, RoundRobin, Selector};
pub use speaker::{Floor, Speaker, Spoken};
pub use step_by_step::StepByStep;
pub use tool_use::{ToolUse, ToolUseRun};

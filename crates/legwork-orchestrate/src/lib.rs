//! Chats, collaborations and tasks with tools, run step by step.
//!
//! All of them, and agents, implement [`StepByStep`]; the state after a step is a value of
//! [`legwork_core::orchestrate`]. The crate deliberately stores nothing itself: an agent in a
//! conversation has its session in its own store, the conversation is kept by the caller.
//!
//! ```
//! use legwork_orchestrate::{Chat, Participant};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), legwork_agent::Error> {
//! let chat = Chat::builder()
//!     .participant(Participant::scripted("Ann", ["Apples?", "DONE"]))
//!     .participant(Participant::scripted("Bob", ["Pears."]))
//!     .until_said("DONE")
//!     .build()?;
//! assert_eq!(chat.run("Which fruit is best?").await?.transcript().len(), 4);
//! # Ok(())
//! # }
//! ```
//!
//! Read the modules in this order: `step_by_step`, `tool_use`, `speaker`, `participant`,
//! `selector`, `turn_driver`, `iteration`, `chat`, `lead`, `collaboration`.
#![forbid(unsafe_code)]

mod agent_speaker;
mod chat;
mod collaboration;
mod iteration;
mod lead;
mod participant;
mod parts;
mod selector;
mod settings;
mod speaker;
mod step_by_step;
mod tool_use;
mod turn_driver;

pub use chat::{Chat, ChatBuilder};
pub use collaboration::{Collaboration, CollaborationBuilder, CollaborationRun};
pub use iteration::{ChatRun, Iteration};
pub use participant::Participant;
pub use selector::{Choice, RoundRobin, Selector};
pub use speaker::{Speaker, Spoken, TurnContext};
pub use step_by_step::StepByStep;
pub use tool_use::{ToolUse, ToolUseRun};

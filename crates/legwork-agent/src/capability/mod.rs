//! Capabilities: named bundles that install themselves on a builder.
//!
//! What ships needs no code of the user's and is in the [`Registry`] by name; what takes
//! code or a handle (tools, hooks, somebody's cancellation) is given to the builder.

pub mod ask_user;
mod bundle;
mod cancellation;
mod fields;
mod guards;
mod history;
pub mod metadata;
mod prompt;
mod registry;
pub mod tasks;
mod writes;

pub use crate::agent::capability::{Capability, Resolved};
pub use ask_user::AskUser;
pub use bundle::{HookCapability, ToolsCapability};
pub use cancellation::CancellationCapability;
pub use fields::Fields;
pub use guards::Guards;
pub use history::{ExecutionHistory, Past};
pub use metadata::Metadata;
pub use prompt::SystemPrompt;
pub use registry::{Error, Registry};
pub use tasks::{TaskList, Tasks};

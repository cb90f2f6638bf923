//! The runtime of Legwork: lifecycle, hooks, driver, executor, the loop, the builder.
//!
//! It runs an agent on whatever implements the ports, and asks the state what is owed.
//! It deliberately knows no provider, database or terminal.
//!
//! Read the modules in this order: [`run`] (the loop), [`driver`], [`executor`],
//! [`lifecycle`], [`hooks`], [`context`], [`toolbox`], [`builder`], [`agent`],
//! [`orchestrate`].
#![forbid(unsafe_code)]

mod account;
pub mod agent;
pub mod builder;
pub mod capability;
pub mod context;
mod delivery;
pub mod describe;
mod doubt;
pub mod driver;
mod error;
pub mod executor;
pub mod hooks;
mod inbox;
mod kept;
pub mod lifecycle;
mod lookup;
mod masked;
pub mod memory;
pub mod news;
pub mod open;
pub mod orchestrate;
mod overriding;
mod release;
pub mod request;
mod retries;
pub mod run;
pub mod session;
mod spending;
mod stop;
pub mod stream;
pub mod subagent;
pub mod toolbox;
mod unwind;
mod validate;
mod watch;
mod watchers;
mod writer;

pub use agent::Agent;
pub use builder::Builder;
pub use capability::{Capability, Resolved};
pub use context::{Control, StepContext};
pub use delivery::Delivery;
pub use describe::Description;
pub use driver::{Driver, ReAct, Scripted, ToolCalling};
pub use error::{Error, Halt};
pub use hooks::{Handler, Hook, HookError, HookStack, hook};
pub use lifecycle::{Composite, CoreLifecycle};
pub use news::{News, RunEvent};
pub use orchestrate::{
    Chat, ChatRun, Collaboration, CollaborationRun, Participant, StepByStep, ToolUse, ToolUseRun,
};
pub use overriding::Override;
pub use request::{Run, RunRequest};
pub use session::Session;
pub use stream::RunStream;
pub use subagent::Subagent;

//! What a program holds: agents, runs and sessions, capabilities, subagents.
//!
//! It puts an agent together and gives it to the runtime (`legwork-runtime`), which makes
//! its steps. It deliberately knows no provider, database or terminal.
//!
//! ```
//! # use legwork_testkit::{ScriptedModel, Turn};
//! use legwork_agent::Agent;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), legwork_agent::Error> {
//! # let model = ScriptedModel::new([Turn::text("42")]);
//! let agent = Agent::builder(model).instructions("You add.").build()?;
//! assert_eq!(agent.run("What is 17 + 25?").await?.text(), "42");
//! # Ok(())
//! # }
//! ```
//!
//! Read the modules in this order: [`agent`] with [`builder`], [`request`], [`session`], [`rest`],
//! [`stream`], [`subagent`], [`undo`] and [`overriding`]; [`driver`]; [`mod@hook`]; [`describe`]; [`capability`]; [`form`].
#![forbid(unsafe_code)]

pub mod agent;
pub mod capability;
pub mod describe;
pub mod driver;
pub mod form;

pub use agent::{
    Agent, auxiliary, builder, overriding, request, rest, session, stream, subagent, undo,
};
pub use builder::Builder;
pub use capability::{Capability, Resolved};
pub use describe::Description;
pub use driver::{Driver, ReAct, Scripted, ToolCalling};
pub use overriding::Override;
pub use request::{Run, RunRequest};
pub use rest::Rest;
pub use session::{Back, Beginning, Delivery, Session, StoredSession, Waiting};
pub use stream::RunStream;
pub use subagent::Subagent;

pub use legwork_context as context;
pub use legwork_core::continuation;
pub use legwork_lifecycle::{
    self as lifecycle, Composite, CoreLifecycle, Handler, Hook, HookStack, hook, hooks,
};
pub use legwork_memory as memory;
pub use legwork_port::{Core, EventKind, RunEvent, event};
pub use legwork_runtime::{
    Active, Control, Error, Halt, HaltReason, StepContext, Timers, Unfinished, WaitPolicy,
    executor, open,
};
pub use legwork_toolset as toolset;

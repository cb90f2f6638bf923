//! How a session of Legwork runs: the loop, the driver, the executor, lifecycles and hooks.
//!
//! It runs an agent on whatever implements the ports: it asks the state what is owed, does
//! it, and appends what happened. It deliberately knows neither how agents are built nor a
//! provider, database or terminal; `legwork-agent` is what programs hold.
//!
//! Read the modules in this order; none names one that comes after it.
//!
//! 1. What a run is made of: [`result`](Run), [`Error`] (`error`), [`control`], [`unwind`] (code
//!    of others, held against panics), [`memory`] (the ports in memory), [`account`] (what a tree of agents uses together).
//! 2. What an agent has: `validate` and [`toolbox`], [`lifecycle`], [`hooks`], [`spawner`],
//!    [`services`], which holds them.
//! 3. What a step works with: [`observers`] and `masked`, `kept` and `writer` (the
//!    journal), `renewal` (its claim), `active_time`, [`context`].
//! 4. What a step does: `inbox`, `spending`, `watch`, `lookup`, `retries`, `judge`, `doubt`,
//!    `release`, [`subagent`], [`executor`], [`driver`].
//! 5. What joins it: `stop`, `run` (the loop), [`delivery`], [`open`].
#![forbid(unsafe_code)]

pub mod account;
pub mod context;
pub mod control;
mod doubt;
pub mod driver;
mod error;
pub mod executor;
mod inbox;
mod judge;
pub mod memory;
pub mod open;
mod release;
mod result;
mod run;
pub mod services;
mod spending;
mod stop;
mod watch;

pub use context::StepContext;
pub use control::Control;
pub use driver::{Driver, Source, ToolCalling};
pub use error::{Error, Halt, HaltReason};
pub use open::Active;
pub use result::{Run, Unfinished};
pub use services::{Ancestry, Caller, Services, SubagentCall, Subagents, TurnSubagents};
pub use spending::price_unknown;

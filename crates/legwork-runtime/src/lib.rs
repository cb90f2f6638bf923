//! How a session of Legwork runs: the loop, the step, the driver, the executor.
//!
//! It runs an agent on whatever implements the ports: it asks the state what is owed, does
//! it, and appends what happened. It deliberately knows neither how agents are built nor a
//! provider, database or terminal; `legwork-agent` is what programs hold. Four crates below it
//! have what a step stands on: `legwork-session` (claims, journals, inboxes), `legwork-toolset`
//! (the tools of a step), `legwork-lifecycle` (who observes it, and may change it) and
//! `legwork-account` (what a tree of agents uses together).
//!
//! It emits `tracing` data: a span `session` for a run and a span `tool` for each call (`DEBUG`),
//! with events for a session that was opened, a step and a call that ended (`DEBUG`), an
//! execution that ended (`INFO`) and a halt (`WARN`). No field holds what was said.
//!
//! Read the modules in this order; none names one that comes after it.
//!
//! 1. What a run is made of: [`result`](Run), [`Error`] (`error`), [`control`], `wait_policy`, [`services`]
//!    (what all runs of an agent share), [`context`] (what a step works with).
//! 2. What a step does: `inbox`, `watch` (active time, and work that is cut off),
//!    `judge`, `doubt`, `release`, [`executor`], [`driver`].
//! 3. What joins it: `output` (whether a step gave it), `pause` (calls wait), `stop`, `run` (the
//!    loop), [`open`].
#![forbid(unsafe_code)]

pub mod context;
pub mod control;
mod doubt;
pub mod driver;
mod error;
pub mod executor;
mod inbox;
mod judge;
pub mod open;
mod output;
mod pause;
mod release;
mod result;
mod run;
pub mod services;
mod stop;
mod wait_policy;
mod watch;

pub use context::StepContext;
pub use control::Control;
pub use driver::{Driver, Source, ToolCalling};
pub use error::{Error, Halt, HaltReason};
pub use legwork_inference::spending::price_unknown;
pub use open::Active;
pub use result::{Run, Unfinished};
pub use services::{Ancestry, Caller, Services, SubagentCall, Subagents, TurnSubagents};
pub use wait_policy::{Timers, WaitPolicy};

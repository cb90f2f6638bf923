//! Votes on going on, and the outcome that they are resolved to.

mod ballot;
#[expect(clippy::module_inception, reason = "the outcome is what the module is named after")]
mod outcome;
mod reason;
mod resolve;
mod vote;

pub(crate) use ballot::Ballot;
pub use outcome::ContinuationOutcome;
pub(crate) use outcome::TOOL_CALLS;
pub use reason::{StopReason, StopSignal};
pub use resolve::resolve;
pub(crate) use resolve::{goes_on, outcome, outcome_after};
pub use vote::{Decision, Vote};

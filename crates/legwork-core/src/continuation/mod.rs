//! Going on or stopping, and why.

mod criteria;
mod outcome;
mod reason;
mod vote;

pub use criteria::{
    BudgetLimit, Criterion, ErrorPolicy, FinishReasonStops, Signals, ToolCallsPresent, defaults,
};
pub use outcome::{ContinuationOutcome, resolve};
pub use reason::{StopReason, StopSignal};
pub use vote::{Decision, Vote};

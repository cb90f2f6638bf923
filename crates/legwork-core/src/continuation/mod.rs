//! Going on or stopping, and why.
//!
//! Criteria vote on the state with a step pending; [`evaluate`] asks them and [`resolve`]
//! makes the explained outcome of their votes. Limits are asked last, and before each
//! step by [`checkpoint`].

mod criteria;
mod evaluate;
mod failure;
mod outcome;
mod reason;
mod resolve;
mod vote;

pub use criteria::{
    Callable, ContentPresent, CostLimit, Criterion, CumulativeTimeLimit, Deadline, ErrorPolicy,
    FinishReasonStops, Kind, Reaction, RetryLimit, Signals, StepsLimit, TimeLimit, TokenLimit,
    ToolCallsLimit, ToolCallsPresent, criterion, defaults, put, remove,
};
pub use evaluate::{calls_checkpoint, checkpoint, evaluate, time_left, time_up};
pub use failure::{ErrorHandler, FailExecution, Failure};
pub use outcome::ContinuationOutcome;
pub use reason::{StopReason, StopSignal};
pub use resolve::resolve;
pub use vote::{Decision, Vote};

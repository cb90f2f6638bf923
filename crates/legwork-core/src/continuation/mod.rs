//! Going on or stopping, and why.
//!
//! Criteria vote on the state with a step pending; [`evaluate`] asks them and [`resolve`]
//! makes the explained outcome of their votes. Limits are asked last, and before each
//! step by [`forbids_step`].

mod criteria;
mod end;
mod evaluate;
mod failure;
mod reopen;

pub use criteria::{
    Callable, ContentPresent, CostLimit, Criterion, CumulativeTimeLimit, Deadline, ErrorPolicy,
    FinishReasonStops, Kind, Reaction, RetryLimit, Signals, StepsLimit, TimeLimit, TokenLimit,
    ToolCallsLimit, ToolCallsPresent, criterion, defaults, put, remove,
};
pub use end::{End, NextAction};
pub use evaluate::{evaluate, forbids_calls, forbids_step, time_left, time_up};
pub use failure::{ErrorHandler, FailExecution, Failure};
pub use reopen::MOST_INCOMPLETE;

pub use crate::outcome::{ContinuationOutcome, Decision, StopReason, StopSignal, Vote, resolve};

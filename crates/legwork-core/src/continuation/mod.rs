//! Whether an execution goes on or stops, and why.
//!
//! At the end of a step each [`Criterion`] votes on the state; [`evaluate`] collects the votes
//! and [`resolve`] resolves them to an outcome that explains itself. Limits are evaluated last,
//! and before each step by [`forbids_step`].

mod criteria;
mod end;
mod evaluate;
mod failure;
mod reopen;

pub use criteria::{
    Callable, ContentPresent, CostLimit, Criterion, CumulativeTimeLimit, Deadline, Error,
    ErrorPolicy, FinishReasonStops, Kind, OutputAccepted, Reaction, RetryLimit, Signals,
    StepsLimit, TimeLimit, TokenLimit, ToolCallsLimit, ToolCallsPresent, UnknownCriterion,
    criterion, defaults, put, remove,
};
pub use end::{End, NextAction};
pub use evaluate::{evaluate, forbids_calls, forbids_step, time_left, time_up};
pub use failure::{ErrorHandler, FailExecution, Failure};
pub use reopen::MOST_INCOMPLETE;

pub use crate::outcome::{ContinuationOutcome, Decision, StopReason, StopSignal, Vote, resolve};

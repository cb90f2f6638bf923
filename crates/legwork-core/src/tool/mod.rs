//! Tools as data: their specs, calls, outcomes and executions.

mod execution;
mod input;
mod into_outcome;
mod limit;
mod name;
mod outcome;
mod policy;
mod prompt;
mod selection;
mod spec;
mod specs;

pub use crate::message::ToolCall;
pub use crate::metadata::Metadata;
pub use execution::ToolExecution;
pub use input::{InputRequest, Supplied};
pub use into_outcome::{IntoFailure, IntoOutcome, Json};
pub use limit::{Cut, ResultLimit};
pub use name::{InvalidName, check_name};
pub use outcome::{Deferral, FailureKind, Output, ToolOutcome};
pub use policy::{EndStrategy, OnBlock};
pub use prompt::{Prompt, Prompted};
pub use selection::ToolSelection;
pub use spec::{EffectClass, ExecutionMode, OnDoubt, RunsIn, ToolSpec};
pub use specs::ToolSpecs;

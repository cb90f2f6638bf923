//! Tools as data: specs, calls, outcomes and executions.

mod call;
mod execution;
mod outcome;
mod spec;

pub use call::ToolCall;
pub use execution::ToolExecution;
pub use outcome::{Deferral, FailureKind, ToolOutcome};
pub use spec::{EffectClass, ExecutionMode, OnDoubt, ToolSpec, ToolSpecs};

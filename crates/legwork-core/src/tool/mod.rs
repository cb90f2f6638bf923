//! Tools as data: specs, calls, outcomes and executions.

mod call;
mod execution;
mod metadata;
mod outcome;
mod selection;
mod spec;
mod specs;

pub use call::ToolCall;
pub use execution::ToolExecution;
pub use metadata::Metadata;
pub use outcome::{Deferral, FailureKind, ToolOutcome};
pub use selection::ToolSelection;
pub use spec::{EffectClass, ExecutionMode, OnDoubt, Place, ToolSpec};
pub use specs::ToolSpecs;

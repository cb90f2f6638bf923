//! Drivers beside [`ToolCalling`]: for models without tool calling, and for scripts.

mod react;
mod scripted;

pub use legwork_runtime::driver::{Driver, Source, ToolCalling, infer, request, settled};
pub use react::{FinalDecision, ReAct};
pub use scripted::{AtEnd, CURSOR, Line, NoModel, Scripted};

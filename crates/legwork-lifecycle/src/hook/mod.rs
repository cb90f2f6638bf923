//! Hooks with a type per trigger: what may be changed there, and nothing else.
//!
//! Each function makes a [`Hook`] of a name and an async closure. The closure is given what
//! the trigger is about, such as a [`ToolUse`], and hands it back, changed or not; or a
//! [`Error`], by which the hook fails and its change is left out. What a type lets change
//! is what its trigger allows ([`allowed`](crate::allowed)), so no
//! change of such a hook is refused for its kind.
//!
//! ```
//! use legwork_lifecycle::hook;
//!
//! let gate = hook::before_tool_use("no_deletes", async |call, _cx| match call.name() {
//!     "delete" => call.block("nothing is deleted here"),
//!     _ => call,
//! });
//! # let _ = gate;
//! ```
//!
//! An async closure that borrows what it captures is none of these functions' (Rust calls it
//! *lending*): clone what is captured into an `async move` block, as in
//! `move |call, cx| { let list = list.clone(); async move { .. } }`.
//!
//! [`hook`](fn@crate::hook) is what they stand on: a function of the whole state, on any
//! triggers.

mod compaction;
mod error;
mod execution_end;
mod execution_start;
mod inference;
mod point;
mod response;
mod step_end;
mod step_start;
mod stop;
mod tool_result;
mod tool_use;

pub use compaction::{Compaction, before_compaction};
pub use error::{ErrorSeen, on_error};
pub use execution_end::{ExecutionEnd, execution_end};
pub use execution_start::{ExecutionStart, execution_start};
pub use inference::{Inference, before_inference};
pub use point::{Point, Returned};
pub use response::{Responded, after_inference};
pub use step_end::{StepEnd, step_end};
pub use step_start::{StepStart, step_start};
pub use stop::{Stop, before_stop};
pub use tool_result::{ToolResult, after_tool_use};
pub use tool_use::{ToolUse, before_tool_use};

pub use crate::hooks::{Cx, Error, Hook, priority};

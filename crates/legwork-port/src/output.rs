//! The output that the executions of an agent end with.

use std::sync::Arc;

use legwork_core::output::{Rejection, Wanted};
use serde_json::Value;

use crate::Tool;

/// Says how a model is asked for an output, and reads its answers.
///
/// It is made for one model when an agent is built. Its methods are called in the loop and must be
/// quick and without effects: after a crash an answer is read again.
pub trait OutputReader: Send + Sync {
    /// What is wanted, as the definition of the agent records it; always the same.
    fn wanted(&self) -> &Arc<Wanted>;

    /// The section of the system prompt that asks for it; may be empty.
    fn prompt(&self) -> &str;

    /// The tool by which the model gives it, of the name in [`Wanted`]; none if it does so in
    /// its text.
    ///
    /// Its spec says that it [gives the output](legwork_core::ToolSpec::gives_output). The value
    /// is not its result: it is read from the arguments of the call.
    fn tool(&self) -> Option<Arc<dyn Tool>>;

    /// The value in what the model wrote: the text of an answer, or the arguments of a call of the
    /// tool.
    ///
    /// # Errors
    /// Why it is rejected.
    fn read(&self, written: &str) -> Result<Value, Rejection>;

    /// The message to the model about an answer that was rejected, unless the result of its call says
    /// it already.
    fn correction(&self, rejection: &Rejection) -> String;
}

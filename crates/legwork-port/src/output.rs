//! The output that the executions of an agent end with.

use std::any::Any;
use std::future::ready;
use std::sync::Arc;

use legwork_core::AgentState;
use legwork_core::output::{Rejection, Wanted};
use serde_json::Value;

use crate::{BoxFuture, Deps, Tool, ToolContext};

/// What a check of an output knows of the run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OutputContext {
    /// The state, with the answer recorded that gave the value.
    pub state: AgentState,
    deps: Deps,
}

impl OutputContext {
    /// The context of a run with these dependencies.
    pub fn new(state: AgentState, deps: Deps) -> Self {
        Self { state, deps }
    }

    /// The dependency of this type, if the agent was given one.
    pub fn dep<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.deps.get()
    }
}

/// What the call of a tool knows of the run.
impl From<&ToolContext> for OutputContext {
    fn from(cx: &ToolContext) -> Self {
        Self::new(cx.state.clone(), cx.deps().clone())
    }
}

/// Says how a model is asked for an output, and reads its answers.
///
/// It is made for one model when an agent is built. Its methods are called in the loop and, but for
/// [`check`](Self::check), must be quick and without effects: after a crash an answer is read again.
pub trait OutputReader: Send + Sync {
    /// What is wanted, as the definition of the agent records it; always the same.
    fn wanted(&self) -> &Arc<Wanted>;

    /// The section of the system prompt that asks for it; may be empty.
    fn prompt(&self) -> &str;

    /// The tool by which the model gives it, of the name in [`Wanted`]; none if it does so in
    /// its text.
    ///
    /// Its spec says that it [gives the output](legwork_core::ToolSpec::gives_output). The value
    /// is not its result: it is read from the arguments of the call. The tool reads and checks it, so
    /// that the model is told at once what is wrong; it succeeds only with a value that is accepted.
    fn tool(&self) -> Option<Arc<dyn Tool>>;

    /// The value in what the model wrote: the text of an answer, or the arguments of a call of the
    /// tool.
    ///
    /// # Errors
    /// Why it is rejected.
    fn read(&self, written: &str) -> Result<Value, Rejection>;

    /// Judges a value that was read, with what the run knows.
    ///
    /// It may wait, until the run is cancelled or interrupted. It is called once for a value: by the
    /// tool for what a call of it gives, else at the end of the step; after a crash in between,
    /// again. Accepts everything by default.
    ///
    /// # Errors
    /// Why it is rejected.
    fn check<'a>(
        &'a self,
        _value: &'a Value,
        _cx: OutputContext,
    ) -> BoxFuture<'a, Result<(), Rejection>> {
        Box::pin(ready(Ok(())))
    }

    /// The message to the model about an answer that was rejected, unless the result of its call says
    /// it already.
    fn correction(&self, rejection: &Rejection) -> String;
}

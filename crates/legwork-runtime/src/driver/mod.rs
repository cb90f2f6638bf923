//! How one step is made.

mod held;
mod infer;
mod tool_calling;

use std::sync::Arc;

use legwork_core::error::ErrorRecord;
use legwork_core::transcript::Settled;
use legwork_core::{AgentState, Criterion, ModelRequest, Owed, Response, Transcript};
use legwork_port::{BoxFuture, Model};
use legwork_toolset::StepTools;

pub(crate) use held::{held, idle, panicked};
pub use infer::infer;
pub(crate) use infer::{infer_auxiliary, obtain, prepare};
pub use tool_calling::ToolCalling;

use crate::context::{StepContext, unsettled};
use crate::error::Halt;
use crate::executor;
use crate::judge::judge;

/// Makes one step.
///
/// A driver says how a request is built from the state, where the response comes from and how
/// it is read; the match on what is owed is provided. One that needs another way of making a
/// step replaces [`Driver::use_tools`] whole. It makes inferences by [`infer`], which reserves
/// and charges them, and runs calls by [`executor::run`], which judges them first.
pub trait Driver: Send + Sync {
    /// The name that descriptions show.
    fn name(&self) -> &str;

    /// The request for the next inference.
    ///
    /// # Errors
    /// Why there is none, as it is to be recorded in the state.
    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord>;

    /// Where the response to the request comes from: the model that the state names.
    ///
    /// It is asked before the reservation is durable, and again after a crash: it must have no
    /// effect.
    ///
    /// # Errors
    /// Why there is none, as it is to be recorded in the state.
    fn source(&self, state: &AgentState, cx: &StepContext) -> Result<Source, ErrorRecord> {
        cx.model(state).map(|model| Source::Model(Arc::clone(model)))
    }

    /// Reads a response; returns what is journaled and sent on in its place.
    ///
    /// None: the response as it came.
    fn read(&self, state: &AgentState, response: &Response) -> Option<Response> {
        let _ = (state, response);
        None
    }

    /// Sees the state with the response recorded, before anybody else does, and may add
    /// to it: an error that it could not read it, a message that says so to the model. The
    /// returned state extends the one given, and commits and judges nothing.
    fn recorded(&self, state: AgentState) -> AgentState {
        state
    }

    /// Whether the response of the current step, which calls no tool, is an answer: it is then
    /// read as the output of the execution, if the agent wants one.
    fn is_answer(&self, state: &AgentState) -> bool {
        let _ = state;
        true
    }

    /// What votes on going on with this driver, beside the agent's own criteria; one of the
    /// agent's of the same name stands in its place.
    fn criteria(&self) -> Vec<Arc<dyn Criterion>> {
        Vec::new()
    }

    /// Does what the step owes, until it owes no inference and no call.
    ///
    /// The returned state extends the one given. Errors of models, tools and hooks are
    /// recorded in it. Dropping the future loses nothing that was committed.
    ///
    /// # Errors
    /// Only what cannot be journaled, with the state as far as it came.
    fn use_tools<'a>(
        &'a self,
        state: AgentState,
        cx: &'a StepContext,
    ) -> BoxFuture<'a, Result<AgentState, Halt>> {
        Box::pin(async move {
            let mut state = state;
            loop {
                if cx.control.is_raised() && state.owed() == Owed::Infer {
                    return Ok(state);
                }
                state = match state.owed() {
                    Owed::Infer => {
                        let next = infer(self, state, cx).await?;
                        if next.current_step().is_none() {
                            return Ok(next);
                        }
                        next
                    }
                    Owed::JudgeCalls => judge(state, cx).await?,
                    Owed::RunCalls => executor::run(state, cx).await?,
                    Owed::Nothing | Owed::Pause | Owed::EndStep | Owed::Stop => return Ok(state),
                };
                let stopping = cx.control.is_raised() && state.stop_signals().is_empty();
                if stopping || cx.control.interrupt.is_cancelled() {
                    return Ok(state);
                }
            }
        })
    }
}

/// Where a response comes from.
#[non_exhaustive]
pub enum Source {
    /// A model is asked: its answer is reserved, charged and streamed.
    Model(Arc<dyn Model>),
    /// The driver has it, or says why there is none: nothing is reserved for it, and it is
    /// charged nothing, whatever usage it says. The future is polled once the inference is in
    /// the journal, and dropped when the run is cancelled or interrupted, or its time is up.
    Driver(BoxFuture<'static, Result<Response, ErrorRecord>>),
}

impl Source {
    /// A response that the driver has already.
    pub fn ready(response: Result<Response, ErrorRecord>) -> Self {
        Self::Driver(Box::pin(std::future::ready(response)))
    }
}

/// The request of a model that calls tools: the conversation as it reads it, the instructions, the
/// tools.
///
/// # Errors
/// As [`StepContext::messages`].
pub fn request(
    state: &AgentState,
    cx: &StepContext,
    shown: &StepTools,
) -> Result<ModelRequest, ErrorRecord> {
    let settings = Arc::new(state.settings().clone());
    let messages = cx.messages(state)?;
    let mut request = ModelRequest::new(settled(&messages)?, settings);
    request.tool_choice = state.tool_choice();
    request.instructions = shown.prompt(state.instructions());
    request.tools = Arc::clone(&shown.specs);
    request.response_format = state.wanted_output().and_then(|wanted| wanted.format.clone());
    Ok(request)
}

/// Messages, if a request can be made of them.
///
/// # Errors
/// When calls have no results, as it is to be recorded in the state.
pub fn settled(messages: &Transcript) -> Result<Settled<'_>, ErrorRecord> {
    messages.settled().ok_or_else(unsettled)
}

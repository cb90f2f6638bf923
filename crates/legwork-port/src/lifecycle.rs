//! The uniform observer: every method takes a state and returns a state.

use std::any::Any;
use std::sync::Arc;
use std::task::Poll;

use legwork_core::AgentState;
use legwork_core::tool::ToolSpecs;

use crate::emitter::Emitter;
use crate::observer::Origin;
use crate::trigger::Trigger;
use crate::{BoxFuture, Cancellation, Clock, Deps};

/// What a step shows its lifecycle beside the state; cheap to clone.
#[derive(Clone)]
pub struct StepView {
    /// The tools that there are, before any selection.
    pub tools: Arc<ToolSpecs>,
    around: Arc<Around>,
}

/// What stays the same for a whole run.
#[derive(Clone)]
struct Around {
    events: Emitter,
    clock: Arc<dyn Clock>,
    deps: Deps,
    ends: Vec<Cancellation>,
}

impl StepView {
    /// A view that sends events by an emitter, with a clock and dependencies.
    pub fn new(events: Emitter, clock: Arc<dyn Clock>, deps: Deps) -> Self {
        let around = Arc::new(Around { events, clock, deps, ends: Vec::new() });
        Self { tools: Arc::default(), around }
    }

    /// The same for a run that any of these ends.
    #[must_use]
    pub fn with_ends(self, ends: impl IntoIterator<Item = Cancellation>) -> Self {
        let mut around = Arc::unwrap_or_clone(self.around);
        around.ends = ends.into_iter().collect();
        Self { around: Arc::new(around), ..self }
    }

    /// Waits until the run is to end: it was cancelled or interrupted. Dropping the future
    /// is safe.
    pub async fn ended(&self) {
        let mut waits: Vec<BoxFuture<'_, ()>> = Vec::with_capacity(self.around.ends.len());
        for end in &self.around.ends {
            waits.push(Box::pin(end.cancelled()));
        }
        std::future::poll_fn(|cx| {
            let ended = waits.iter_mut().any(|wait| wait.as_mut().poll(cx).is_ready());
            if ended { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// The same with these tools.
    #[must_use]
    pub fn with_tools(self, tools: Arc<ToolSpecs>) -> Self {
        Self { tools, ..self }
    }

    /// Where the state belongs: its session, and its place in a tree of agents.
    pub fn origin(&self) -> &Arc<Origin> {
        self.around.events.origin()
    }

    /// Where time comes from.
    pub fn clock(&self) -> &dyn Clock {
        &*self.around.clock
    }

    /// Sends events to the observers of the run.
    pub fn events(&self) -> &Emitter {
        &self.around.events
    }

    /// The dependency of this type, if the agent was given one.
    pub fn dep<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.around.deps.get()
    }
}

impl std::fmt::Debug for StepView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StepView").field("origin", self.origin()).finish_non_exhaustive()
    }
}

macro_rules! lifecycle {
    ($( $(#[$meta:meta])* $name:ident => $trigger:ident; )+) => {
        /// Watches and changes an execution; every method passes the state through by
        /// default.
        ///
        /// A returned state must extend the one handed in. One that does not is refused,
        /// the state handed in is restored, and the violation is recorded.
        pub trait Lifecycle: Send + Sync {
            /// Whether anything happens on a trigger; what nobody wants is skipped.
            fn listens(&self, trigger: Trigger) -> bool {
                let _ = trigger;
                true
            }

            $(
                $(#[$meta])*
                fn $name<'a>(
                    &'a self,
                    state: AgentState,
                    view: &'a StepView,
                ) -> BoxFuture<'a, AgentState> {
                    let _ = view;
                    Box::pin(std::future::ready(state))
                }
            )+

            /// Calls the method of a trigger.
            fn on<'a>(
                &'a self,
                trigger: Trigger,
                state: AgentState,
                view: &'a StepView,
            ) -> BoxFuture<'a, AgentState> {
                match trigger {
                    $( Trigger::$trigger => self.$name(state, view), )+
                }
            }
        }
    };
}

lifecycle! {
    /// Once, before the first step.
    on_execution_start => ExecutionStart;
    /// Before each inference; then a raised stop is honoured.
    on_step_start => StepStart;
    /// The request is built and not sent: `state.current_request()`.
    on_before_inference => BeforeInference;
    /// The raw response is committed: `state.current_step()`.
    on_after_inference => AfterInference;
    /// Per call, in call order, before any runs: `state.current_tool_call()`.
    on_before_tool_use => BeforeToolUse;
    /// Per call, in call order, after all ran: `state.current_tool_execution()`, with its index.
    on_after_tool_use => AfterToolUse;
    /// An error was recorded, before the step ends: `state.current_error()`.
    on_error => Error;
    /// The step with a provisional outcome: `state.ending_step()`.
    on_step_end => StepEnd;
    /// A stop is about to be carried out: `state.stop_reason()`.
    on_before_stop => BeforeStop;
    /// Once; the final status is already set.
    on_execution_end => ExecutionEnd;
}

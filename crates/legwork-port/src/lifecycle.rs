//! Lifecycles: callbacks at each point of an execution that may change the state.

use std::any::Any;
use std::sync::Arc;
use std::task::Poll;

use legwork_core::AgentState;
use legwork_core::tool::ToolSpecs;

use crate::emitter::Emitter;
use crate::observer::Origin;
use crate::trigger::Trigger;
use crate::{BoxFuture, Cancellation, Clock, Deps};

/// The context of a lifecycle method, in addition to the state; cheap to clone.
#[derive(Clone)]
pub struct StepView {
    /// The tools of the step, before any selection.
    pub tools: Arc<ToolSpecs>,
    around: Arc<Around>,
}

/// The part that stays the same during a run.
#[derive(Clone)]
struct Around {
    events: Emitter,
    clock: Arc<dyn Clock>,
    deps: Deps,
    ends: Vec<Cancellation>,
}

impl StepView {
    /// A view with an emitter, a clock and dependencies.
    pub fn new(events: Emitter, clock: Arc<dyn Clock>, deps: Deps) -> Self {
        let around = Arc::new(Around { events, clock, deps, ends: Vec::new() });
        Self { tools: Arc::default(), around }
    }

    /// The same with the tokens that end the run.
    #[must_use]
    pub fn with_ends(self, ends: impl IntoIterator<Item = Cancellation>) -> Self {
        let mut around = Arc::unwrap_or_clone(self.around);
        around.ends = ends.into_iter().collect();
        Self { around: Arc::new(around), ..self }
    }

    /// Waits until the run is cancelled or interrupted. Cancel-safe.
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

    /// The session of the state, and its path in a tree of agents.
    pub fn origin(&self) -> &Arc<Origin> {
        self.around.events.origin()
    }

    /// The clock of the run.
    pub fn clock(&self) -> &dyn Clock {
        &*self.around.clock
    }

    /// The emitter of the run.
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
        /// Callbacks during an execution, which may change its state.
        ///
        /// By default each returns the state unchanged. A returned state must extend the one passed in. Otherwise it is refused, the state
        /// passed in is restored, and the violation is recorded.
        pub trait Lifecycle: Send + Sync {
            /// Whether it handles a trigger; the others are skipped.
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

            /// Calls the method for a trigger.
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
    /// Called once, before the first step.
    on_execution_start => ExecutionStart;
    /// Called before each step; a stop requested here prevents the step.
    on_step_start => StepStart;
    /// Called before a summary takes the place of the beginning of the conversation:
    /// `state.proposed_compaction()`.
    on_before_compaction => BeforeCompaction;
    /// Called when a request is built, before it is sent: `state.current_request()`.
    on_before_inference => BeforeInference;
    /// Called when the raw response is committed: `state.current_step()`.
    on_after_inference => AfterInference;
    /// Called for each call in call order, before any runs: `state.current_tool_call()`.
    on_before_tool_use => BeforeToolUse;
    /// Called for each call in call order, after all ran: `state.current_tool_execution()`.
    on_after_tool_use => AfterToolUse;
    /// Called after an error was recorded, before the step ends: `state.current_error()`.
    on_error => Error;
    /// Called when the step has a provisional outcome: `state.ending_step()`.
    on_step_end => StepEnd;
    /// Called before a stop is carried out: `state.stop_reason()`.
    on_before_stop => BeforeStop;
    /// Called once, after the final status is set.
    on_execution_end => ExecutionEnd;
}

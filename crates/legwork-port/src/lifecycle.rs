//! The uniform observer: every method takes a state and returns a state.

use std::sync::Arc;

use legwork_core::{AgentState, ToolSpec};

use crate::BoxFuture;

/// A point in the life of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Trigger {
    /// Once, before the first step.
    ExecutionStart,
    /// Before each inference.
    StepStart,
    /// The request is built and not sent.
    BeforeInference,
    /// The response is complete.
    AfterInference,
    /// Per call, in call order, before any runs.
    BeforeToolUse,
    /// Per call, in call order, after all ran.
    AfterToolUse,
    /// An error was recorded.
    Error,
    /// The step is recorded with a provisional outcome.
    StepEnd,
    /// A stop is about to be carried out.
    BeforeStop,
    /// Once, with the final status set.
    ExecutionEnd,
}

impl Trigger {
    /// All of them, in the order they fire.
    pub const ALL: [Self; 10] = [
        Self::ExecutionStart,
        Self::StepStart,
        Self::BeforeInference,
        Self::AfterInference,
        Self::BeforeToolUse,
        Self::AfterToolUse,
        Self::Error,
        Self::StepEnd,
        Self::BeforeStop,
        Self::ExecutionEnd,
    ];
}

/// What a step shows its lifecycle beside the state.
#[derive(Debug, Clone, Default)]
pub struct StepView {
    /// The tools that there are, before any selection.
    pub tools: Arc<Vec<Arc<ToolSpec>>>,
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
    /// The request is built and not sent: `state.pending_request()`.
    on_before_inference => BeforeInference;
    /// The raw response is committed: `state.current_step()`.
    on_after_inference => AfterInference;
    /// Per call, in call order, before any runs: `state.pending_tool_call()`.
    on_before_tool_use => BeforeToolUse;
    /// Per call, in call order, after all ran: `state.pending_execution()`.
    on_after_tool_use => AfterToolUse;
    /// An error was recorded, before the step ends: `state.current_error()`.
    on_error => Error;
    /// The step with a provisional outcome: `state.pending_step()`.
    on_step_end => StepEnd;
    /// A stop is about to be carried out: `state.stop_reason()`.
    on_before_stop => BeforeStop;
    /// Once; the final status is already set.
    on_execution_end => ExecutionEnd;
}

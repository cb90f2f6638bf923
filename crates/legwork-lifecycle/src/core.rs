//! The Core that ships: asks the criteria, records steps and ends executions.

use std::sync::Arc;

use legwork_core::continuation::{
    Criterion, ErrorHandler, FailExecution, Failure, defaults, evaluate,
};
use legwork_core::{AgentState, ContinuationOutcome, ErrorRecord};
use legwork_port::{BoxFuture, Core, Lifecycle, StepView, Trigger, unwind};

/// Evaluates the criteria when a step ends, and asks an error handler how an execution ends
/// that an error ended.
pub struct CoreLifecycle {
    criteria: Vec<Arc<dyn Criterion>>,
    error_handler: Arc<dyn ErrorHandler>,
}

impl Default for CoreLifecycle {
    fn default() -> Self {
        Self::new(defaults())
    }
}

impl CoreLifecycle {
    /// One that asks these criteria; an error fails the execution.
    pub fn new(criteria: Vec<Arc<dyn Criterion>>) -> Self {
        Self { criteria, error_handler: Arc::new(FailExecution) }
    }

    /// The same with another error handler.
    #[must_use]
    pub fn error_handler(self, error_handler: Arc<dyn ErrorHandler>) -> Self {
        Self { error_handler, ..self }
    }

    /// The outcome for a state with its step pending, the votes of hooks included.
    pub fn evaluate(&self, state: &AgentState) -> Arc<ContinuationOutcome> {
        evaluate(&self.criteria, state)
    }
}

impl Lifecycle for CoreLifecycle {
    fn listens(&self, trigger: Trigger) -> bool {
        trigger == Trigger::StepEnd
    }

    fn on_step_end<'a>(
        &'a self,
        state: AgentState,
        _view: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        let outcome = self.evaluate(&state);
        Box::pin(std::future::ready(state.with_provisional_outcome(Some(outcome))))
    }
}

impl Core for CoreLifecycle {
    fn handle_error(&self, state: &AgentState, error: &ErrorRecord, view: &StepView) -> Failure {
        let handled = unwind::call(|| self.error_handler.handle(state, error));
        handled.unwrap_or_else(|panic| {
            let events = view.events();
            events.warn(|| format!("the error handler panicked, the execution failed: {panic}"));
            FailExecution.handle(state, error)
        })
    }
}

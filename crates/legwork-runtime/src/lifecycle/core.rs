//! What Core does: asks the criteria and makes the outcome of a step.

use std::sync::Arc;

use legwork_core::continuation::{Criterion, defaults, evaluate};
use legwork_core::{AgentState, ContinuationOutcome};
use legwork_port::{BoxFuture, Lifecycle, StepView, Trigger};

/// Evaluates the criteria when a step ends. Asked twice, it evaluates anew.
pub struct CoreLifecycle {
    criteria: Vec<Arc<dyn Criterion>>,
}

impl Default for CoreLifecycle {
    fn default() -> Self {
        Self::new(defaults())
    }
}

impl CoreLifecycle {
    /// One that asks these criteria.
    pub fn new(criteria: Vec<Arc<dyn Criterion>>) -> Self {
        Self { criteria }
    }

    /// The outcome for a state with its step pending, the votes of hooks included.
    pub fn evaluate(&self, state: &AgentState) -> ContinuationOutcome {
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
        let outcome = Arc::new(self.evaluate(&state));
        Box::pin(std::future::ready(state.with_provisional_outcome(Some(outcome))))
    }
}

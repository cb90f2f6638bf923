//! A Core of somebody else, held to what the loop needs.

use std::sync::Arc;

use legwork_core::error::{ErrorKind, ErrorSource};
use legwork_core::{AgentState, ContinuationOutcome, ErrorRecord, ExecutionStatus};
use legwork_port::{BoxFuture, Core, Lifecycle, StepView, Trigger, unwind};

use crate::admit::{Rights, admit};
use crate::composite::Composite;

/// A Core that replaces the one that ships.
///
/// One that panics, breaks the lineage or records nothing costs nothing but its own change:
/// what ships records in its place.
pub struct Guarded {
    core: Arc<dyn Core>,
    shown: Composite,
}

/// What records where a Core does not.
struct Fallback;

impl Lifecycle for Fallback {}

impl Core for Fallback {}

impl Guarded {
    /// This Core.
    pub fn new(core: Arc<dyn Core>) -> Self {
        let shown = Composite::core(Arc::clone(&core) as Arc<dyn Lifecycle>);
        Self { core, shown }
    }

    /// What a call of the Core returns if it did what it is for, else what ships.
    fn call(
        &self,
        (state, trigger): (AgentState, Trigger),
        call: impl Fn(&dyn Core, AgentState) -> AgentState,
        done: impl Fn(&AgentState) -> bool,
    ) -> AgentState {
        let before = state.clone();
        let called = unwind::call(|| call(&*self.core, state));
        let (kind, why) = match called.map(|after| admit(Rights::Core, trigger, &before, after)) {
            Ok(Ok(after)) if done(&after) => return after,
            Ok(Ok(_)) => (ErrorKind::Hook, "recorded nothing".to_owned()),
            Ok(Err(refused)) => (refused.kind, refused.message),
            Err(panic) => (ErrorKind::Hook, format!("panicked: {panic}")),
        };
        let source = ErrorSource::Hook("core".to_owned());
        let error = ErrorRecord::new(source, kind, format!("the core lifecycle {why}"));
        call(&Fallback, before.with_error(error))
    }
}

impl Lifecycle for Guarded {
    fn listens(&self, trigger: Trigger) -> bool {
        self.shown.listens(trigger)
    }

    fn on<'a>(
        &'a self,
        trigger: Trigger,
        state: AgentState,
        view: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        self.shown.on(trigger, state, view)
    }
}

impl Core for Guarded {
    fn record_step(
        &self,
        state: AgentState,
        outcome: Arc<ContinuationOutcome>,
        view: &StepView,
    ) -> AgentState {
        let call = |core: &dyn Core, state| core.record_step(state, Arc::clone(&outcome), view);
        self.call((state, Trigger::StepEnd), call, |after| after.current_step().is_none())
    }

    fn end_execution(
        &self,
        state: AgentState,
        outcome: Arc<ContinuationOutcome>,
        view: &StepView,
    ) -> AgentState {
        let call = |core: &dyn Core, state| core.end_execution(state, Arc::clone(&outcome), view);
        let ended = |after: &AgentState| after.status().is_some_and(ExecutionStatus::is_terminal);
        self.call((state, Trigger::BeforeStop), call, ended)
    }
}

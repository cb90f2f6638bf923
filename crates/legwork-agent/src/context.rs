//! What a step has to work with; a driver holds no wiring of its own.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::event::ToolFinished;
use legwork_core::tool::Metadata;
use legwork_core::{AgentState, Event, Micros, OnDoubt, ToolCall, ToolOutcome};
use legwork_port::observer::LiveEvent;
use legwork_port::{Cancellation, Clock, Lifecycle, Model, Observer, StepView, Trigger};

use crate::error::Halt;
use crate::executor::Executor;
use crate::lifecycle::Composite;
use crate::toolbox::Toolbox;
use crate::writer::Writer;

/// How somebody outside influences a running execution.
#[derive(Debug, Clone, Default)]
pub struct Control {
    /// Ends the execution as cancelled.
    pub cancel: Cancellation,
    /// Leaves the execution where it is, in progress and resumable.
    pub interrupt: Cancellation,
}

impl Control {
    /// Whether either was raised.
    pub fn is_raised(&self) -> bool {
        self.cancel.is_cancelled() || self.interrupt.is_cancelled()
    }

    pub(crate) async fn raised(&self) {
        let (cancel, interrupt) = (self.cancel.cancelled(), self.interrupt.cancelled());
        futures_util::future::select(std::pin::pin!(cancel), std::pin::pin!(interrupt)).await;
    }
}

/// What a step has to work with.
pub struct StepContext {
    pub(crate) models: Arc<BTreeMap<String, Arc<dyn Model>>>,
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) executor: Executor,
    pub(crate) core: Arc<dyn Lifecycle>,
    pub(crate) lifecycle: Composite,
    pub(crate) writer: Writer,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) control: Control,
    pub(crate) on_doubt: Option<OnDoubt>,
    pub(crate) deps: Option<Arc<dyn Any + Send + Sync>>,
    pub(crate) view: StepView,
}

impl StepContext {
    /// The model that the state names.
    ///
    /// # Errors
    /// When the agent was given no model of that name.
    pub fn model(&self, state: &AgentState) -> Result<&Arc<dyn Model>, ErrorRecord> {
        let name = &*state.settings().model;
        self.models.get(name).ok_or_else(|| {
            let known: Vec<_> = self.models.keys().map(String::as_str).collect();
            let message = format!(
                "the agent has no model `{name}`: it has {}; give it that model when it is built",
                known.join(", ")
            );
            ErrorRecord::new(ErrorSource::Driver, ErrorKind::Configuration, message)
        })
    }

    /// The tools there are.
    pub fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }

    /// The state told the time.
    pub fn tick(&self, state: AgentState) -> AgentState {
        state.at(self.clock.now())
    }

    /// Appends what the state has not committed yet, and tells whoever watches.
    ///
    /// # Errors
    /// A halt with the state as it was, when the store said no.
    pub async fn commit(&self, state: AgentState) -> Result<AgentState, Halt> {
        self.writer.commit(state).await
    }

    /// Whether anything of the lifecycle wants a trigger.
    pub fn listens(&self, trigger: Trigger) -> bool {
        self.lifecycle.listens(trigger)
    }

    /// Lets the lifecycle see the state on a trigger.
    pub async fn fire(&self, trigger: Trigger, state: AgentState) -> AgentState {
        if !self.lifecycle.listens(trigger) {
            return state;
        }
        let state = self.lifecycle.on(trigger, state, &self.view).await;
        self.tick(state)
    }

    /// Tells live news to whoever watches.
    pub fn live(&self, state: &AgentState, event: &LiveEvent<'_>) {
        if self.observer.listens() {
            self.observer.live(state.session(), event);
        }
    }

    /// Answers a call of the step under way that does not run, or not any more.
    pub(crate) fn answer(
        &self,
        state: AgentState,
        index: u32,
        call: &ToolCall,
        outcome: ToolOutcome,
    ) -> AgentState {
        let step = state.current_step().map_or(0, |step| step.number);
        self.live(&state, &LiveEvent::ToolFinished { step, index, call, outcome: &outcome });
        let outcome = Arc::new(outcome);
        let (took, metadata) = (Micros::ZERO, Metadata::default());
        state.with(Event::ToolFinished(ToolFinished { index, outcome, took, metadata }))
    }
}

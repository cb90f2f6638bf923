//! The events of an inference.

use legwork_core::budget::Amounts;
use legwork_core::error::ErrorRecord;
use legwork_core::event::RequestSent;
use legwork_core::{AgentState, Response, Seq, Stamp};
use legwork_port::EventKind;

use crate::context::StepContext;

/// An inference under way, as observers are notified of it.
pub(super) struct Inference<'a> {
    step: u32,
    /// The entry that reserved it.
    id: Seq,
    at: Stamp,
    amounts: Option<Amounts>,
    model: &'a str,
    request: Option<RequestSent>,
}

impl<'a> Inference<'a> {
    pub(super) fn of(state: &AgentState, model: &'a str, request: Option<RequestSent>) -> Self {
        let step = state.current_step().map_or(0, |step| step.number);
        let held = state.ledger().inference();
        let (id, amounts) = (held.map_or(Seq::ZERO, |held| held.entry), held.map(|h| h.amounts));
        Self { step, id, at: state.now(), amounts, model, request }
    }

    pub(super) fn began(&self, cx: &StepContext) {
        let (id, at) = (self.id, self.at.wall);
        let Some(amounts) = self.amounts else { return };
        cx.events.at_step(self.step);
        cx.emit(|| EventKind::StepStarted);
        cx.emit(|| EventKind::BudgetReserved { id, amounts });
        cx.emit(|| {
            let (model, request) = (self.model.to_owned(), self.request.clone());
            EventKind::InferenceStarted { id, at, model, request }
        });
    }

    pub(super) fn ended(
        &self,
        cx: &StepContext,
        response: Option<&Response>,
        error: Option<&ErrorRecord>,
    ) {
        cx.emit(|| {
            let (id, now) = (self.id, cx.services.sessions.clock.now());
            let (took, at) = (now.mono.since(self.at.mono), now.wall);
            let usage = response.and_then(|response| response.usage);
            EventKind::InferenceFinished { id, at, took, usage, error: error.cloned() }
        });
    }
}

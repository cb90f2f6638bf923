//! What observers are told of an inference.

use legwork_core::budget::Amounts;
use legwork_core::error::ErrorRecord;
use legwork_core::{AgentState, Response, Seq, Stamp};
use legwork_port::observer::LiveEvent;

use crate::context::StepContext;

/// An inference under way, as observers are notified of it.
pub(super) struct Inference<'a> {
    pub(super) step: u32,
    /// The entry that reserved it.
    id: Seq,
    at: Stamp,
    amounts: Option<Amounts>,
    model: &'a str,
}

impl<'a> Inference<'a> {
    pub(super) fn of(state: &AgentState, model: &'a str) -> Self {
        let step = state.current_step().map_or(0, |step| step.number);
        let held = state.ledger().inference();
        let (id, amounts) = (held.map_or(Seq::ZERO, |held| held.entry), held.map(|h| h.amounts));
        Self { step, id, at: state.now(), amounts, model }
    }

    pub(super) fn began(&self, cx: &StepContext) {
        let Self { step, id, model, .. } = *self;
        let Some(amounts) = &self.amounts else { return };
        cx.live(&LiveEvent::StepStarted { step });
        cx.live(&LiveEvent::BudgetReserved { id, amounts });
        cx.live(&LiveEvent::InferenceStarted { step, id, at: self.at.wall, model });
    }

    pub(super) fn ended(
        &self,
        cx: &StepContext,
        response: Option<&Response>,
        error: Option<&ErrorRecord>,
    ) {
        if !cx.observer.listens() {
            return;
        }
        let (step, id, now) = (self.step, self.id, cx.services.clock.now());
        let (took, at) = (now.mono.since(self.at.mono), now.wall);
        let usage = response.and_then(|response| response.usage.as_ref());
        cx.live(&LiveEvent::InferenceFinished { step, id, at, took, usage, error });
    }
}

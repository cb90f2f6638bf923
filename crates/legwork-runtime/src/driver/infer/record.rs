//! Settles and records a response.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::event::Responded;
use legwork_core::inference::Incomplete;
use legwork_core::message::{Author, Malformed};
use legwork_core::{AgentState, Event, Response};

use crate::context::StepContext;

/// Settles and records a response.
pub(in crate::driver) fn record(
    mut response: Response,
    charged: Amounts,
    state: AgentState,
    cx: &StepContext,
    model: &str,
) -> AgentState {
    let mut malformed = response.check().err();
    if malformed == Some(Malformed::TooDeep) {
        response = response.for_journal();
        malformed = response.check().err();
    }
    // Kept and charged as what came, and never sent back as an answer.
    let incomplete = malformed.as_ref().map(|_| Incomplete::Malformed);
    response.incomplete = response.incomplete.or(incomplete);
    // What it is charged says it.
    response.came = 0;
    // Most often the name is the one in the settings: it is kept once.
    let named = Arc::clone(&state.settings().model);
    let name = || if *named == *model { named } else { model.into() };
    response = response.by(|| Author::Model(name()));
    cx.settle(state.ledger().inference(), &charged);
    let response = Arc::new(response);
    let state =
        state.with(Event::Responded(Responded { response: Arc::clone(&response), charged }));
    match response.incomplete_error(malformed, model) {
        Some(error) => state.with_error(error),
        None => state,
    }
}

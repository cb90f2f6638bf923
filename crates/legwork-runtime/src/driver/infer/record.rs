//! Settles and records a response.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::event::Responded;
use legwork_core::inference::Incomplete;
use legwork_core::message::{Author, Malformed};
use legwork_core::{AgentState, Event, Response};

use crate::context::StepContext;
use crate::spending;

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
    spending::settle(&state, cx, &charged);
    let response = Arc::new(response);
    let state =
        state.with(Event::Responded(Responded { response: Arc::clone(&response), charged }));
    let incomplete = response.incomplete.as_ref();
    match incomplete.filter(|reason| **reason != Incomplete::Unread) {
        Some(reason) => state.with_error(broken_off(&response, reason, malformed, model)),
        None => state,
    }
}

/// The error of an answer that is not whole.
fn broken_off(
    response: &Response,
    reason: &Incomplete,
    malformed: Option<Malformed>,
    model: &str,
) -> ErrorRecord {
    let error = response.raw.get("error").and_then(|error| error.get("message")?.as_str());
    let message = match (malformed, &response.bound) {
        (None, None) if let Some(error) = error => format!(
            "the answer of {model} broke off, for the server failed ({error}): its calls are not \
             run; ask again"
        ),
        (Some(malformed), _) => format!("the answer of {model} is none, ask again: {malformed}"),
        (None, Some(bound)) => format!(
            "the answer of {model} was cut, for {bound}: its calls are not run; see whether the \
             server is sound, or raise the bound"
        ),
        (None, None) => format!(
            "the answer of {model} came incomplete ({reason}): its calls are not run; ask again"
        ),
    };
    ErrorRecord::new(ErrorSource::Model, ErrorKind::Incomplete, message)
}

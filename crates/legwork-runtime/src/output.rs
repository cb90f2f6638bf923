//! Whether a step gave the output of the execution.
//!
//! It is a question to the state alone, asked at the end of each step: after a crash it is asked
//! again and has the same answer.

use std::sync::Arc;

use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::event::{OutputAccepted, OutputRejected};
use legwork_core::output::{Rejection, Stage};
use legwork_core::state::CallSlot;
use legwork_core::tool::FailureKind;
use legwork_core::{AgentState, Event, FinishReason, Part, Response, ToolExecution, ToolOutcome};
use legwork_port::{OutputReader, unwind};
use serde_json::Value;

use crate::context::StepContext;
use crate::driver::Driver;

/// What the step gave: a value, or an answer that is none, with the call that gave it.
struct Given {
    call: Option<u32>,
    read: Result<Value, Rejection>,
}

/// Records the output that the step gave, or that its answer was rejected.
///
/// Of several calls that give one, the first that succeeded counts. A model that has no correction
/// left, or that declined, ends the execution.
pub(crate) fn record(state: AgentState, cx: &StepContext, driver: &dyn Driver) -> AgentState {
    let reader = cx.services.output.as_deref();
    let given = match unwind::call(|| given(&state, reader, driver)) {
        Ok(Some(given)) => given,
        Ok(None) => return state,
        Err(panic) => {
            let message = format!("reading the output panicked: {panic}");
            return failed(state, ErrorKind::Panicked, message);
        }
    };
    let rejection = match given.read {
        Ok(value) => {
            let accepted = OutputAccepted { value: Arc::new(value), call: given.call };
            if accepted.fits() {
                return state.with(Event::OutputAccepted(accepted));
            }
            Rejection::new(Stage::Schema, "the value is nested too deeply")
        }
        Err(rejection) => rejection,
    };
    reject(state, reader, given.call, rejection)
}

/// What the step gave; none if it gave nothing that could be an output.
fn given(
    state: &AgentState,
    reader: Option<&dyn OutputReader>,
    driver: &dyn Driver,
) -> Option<Given> {
    let step = state.current_step()?;
    let failed = step.errors.iter().any(ErrorRecord::ends_step);
    let response = step.response.as_ref().filter(|r| r.incomplete.is_none() && !failed)?;
    if !step.calls.is_empty() {
        return by_calls(state, reader);
    }
    let reader = reader.filter(|_| driver.is_answer(state))?;
    Some(Given { call: None, read: by_text(response, reader) })
}

/// The first call that gave the output, or else the first that failed to.
fn by_calls(state: &AgentState, reader: Option<&dyn OutputReader>) -> Option<Given> {
    let shown = state.context().tools_shown.as_ref()?;
    let gives_output = |slot: &CallSlot| {
        shown.specs.iter().any(|spec| spec.is_output && spec.name == slot.call.name)
    };
    let mut failed = None;
    for (index, slot) in state.calls().filter(|(_, slot)| gives_output(slot)) {
        let Some(execution) = slot.execution() else { continue };
        let own = reader.filter(|reader| reader.wanted().name == slot.call.name);
        let Some(read) = by_call(slot, execution, own, reader) else { continue };
        let given = Given { call: Some(index), read };
        match given.read {
            Ok(_) => return Some(given),
            Err(_) if failed.is_none() => failed = Some(given),
            Err(_) => {}
        }
    }
    failed
}

/// What a call gave; none if it failed for another reason than what the model wrote.
///
/// `own` is the reader if the call is of its tool; the result of any other tool is a value that
/// `reader` has to accept, if there is one.
fn by_call(
    slot: &CallSlot,
    execution: &ToolExecution,
    own: Option<&dyn OutputReader>,
    reader: Option<&dyn OutputReader>,
) -> Option<Result<Value, Rejection>> {
    let problem = match (&*execution.outcome, own) {
        (ToolOutcome::Ok(_), Some(own)) => {
            let written = slot.arguments.as_ref().unwrap_or(&slot.call.arguments);
            return Some(own.read(written));
        }
        (ToolOutcome::Ok(output), None) => {
            let value = output.to_value();
            return Some(reader.map_or(Ok(value.clone()), |it| it.read(&value.to_string())));
        }
        (ToolOutcome::Failed(FailureKind::InvalidArguments, problem), _) => {
            return Some(Err(Rejection::new(Stage::Schema, problem)));
        }
        (ToolOutcome::Retry(problem) | ToolOutcome::Failed(_, problem), _) => problem,
        _ => return None,
    };
    let read = own.and_then(|own| own.read(&slot.call.arguments).err());
    Some(Err(read.unwrap_or_else(|| Rejection::new(Stage::Tool, problem))))
}

fn by_text(response: &Response, reader: &dyn OutputReader) -> Result<Value, Rejection> {
    let refusal = response.message.parts.iter().find_map(|part| match part {
        Part::Refusal(text) => Some(text.text.to_string()),
        _ => None,
    });
    match (refusal, &response.finish) {
        (Some(words), _) => Err(Rejection::new(Stage::Refused, words)),
        (None, FinishReason::ContentFilter) => {
            Err(Rejection::new(Stage::Refused, "the answer was filtered"))
        }
        (None, FinishReason::Length) => Err(Rejection::new(
            Stage::Incomplete,
            "the answer was cut off at its maximum length: give a shorter one",
        )),
        _ => reader.read(&response.text()),
    }
}

/// Records a rejected answer, and either a message to the model or the end of the execution.
fn reject(
    state: AgentState,
    reader: Option<&dyn OutputReader>,
    call: Option<u32>,
    rejection: Rejection,
) -> AgentState {
    let Rejection { stage, problem } = rejection.clone();
    let state = state.with(Event::OutputRejected(OutputRejected { stage, problem, call }));
    let Some(reader) = reader else { return state };
    let rejected = state.rejected_outputs();
    if rejection.stage == Stage::Refused {
        let message = format!("the model declined to answer: {}", rejection.problem);
        return failed(state, ErrorKind::Validation, message);
    }
    if rejected > unwind::call(|| reader.wanted().repairs).unwrap_or(0) {
        let Rejection { stage, problem } = rejection;
        let message = format!(
            "none of {rejected} answers in a row was accepted as output; the last one failed at \
             {stage}: {problem}"
        );
        return failed(state, ErrorKind::Validation, message);
    }
    let execution = call.and_then(|index| state.call(index)).and_then(CallSlot::execution);
    if execution.is_some_and(|execution| !matches!(*execution.outcome, ToolOutcome::Ok(_))) {
        // The model reads what is wrong in the result of its call.
        return state;
    }
    let correction = unwind::call(|| reader.correction(&rejection));
    state.with_message(correction.unwrap_or(rejection.problem))
}

/// Ends the execution without an output.
fn failed(state: AgentState, kind: ErrorKind, message: String) -> AgentState {
    state.with_fatal_error("output", ErrorRecord::new(ErrorSource::Driver, kind, message))
}

//! Whether a step gave the output of the execution.
//!
//! What was given is a question to the state alone, asked at the end of each step: after a crash it
//! is asked again and has the same answer. Whether it is accepted may be up to a check that waits.

use std::sync::Arc;

use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::event::{OutputAccepted, OutputRejected};
use legwork_core::output::{Rejection, Stage};
use legwork_core::state::CallSlot;
use legwork_core::tool::FailureKind;
use legwork_core::{AgentState, Event, ToolExecution, ToolOutcome};
use legwork_port::{OutputContext, OutputReader, unwind};
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
/// left, or that declined, ends the execution. Nothing is recorded if the run is cancelled or
/// interrupted while a value is checked.
pub(crate) async fn record(state: AgentState, cx: &StepContext, driver: &dyn Driver) -> AgentState {
    let reader = cx.services.output.as_deref();
    let given = match unwind::call(|| places(&state, reader, driver)) {
        Ok(places) if places.is_empty() => return state,
        Ok(places) => unwind::run(|| Box::pin(first(places, reader, &state, cx))).await,
        Err(panic) => Err(panic),
    };
    let given = match given {
        Ok(Some(given)) => given,
        Ok(None) => return state,
        Err(panic) => {
            let message = format!("reading or checking the output panicked: {panic}");
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

/// The first value that is accepted, or else the first answer that is none; neither if the run is
/// ended before that is known. Nothing after an accepted value is read.
async fn first(
    places: Vec<Option<u32>>,
    reader: Option<&dyn OutputReader>,
    state: &AgentState,
    cx: &StepContext,
) -> Option<Given> {
    let mut failed = None;
    for call in places {
        let slot = call.and_then(|index| state.call(index));
        let read = match call {
            None => reader.and_then(|reader| by_text(state, reader)),
            Some(_) => slot.and_then(|slot| by_call(slot, reader)),
        };
        let Some(mut read) = read else { continue };
        let is_checked = slot.is_some_and(|slot| is_checked(slot, reader));
        if let (Ok(value), Some(reader), false) = (&read, reader, is_checked) {
            let context = OutputContext::new(state.clone(), cx.services.deps.clone());
            read = cx.unless_raised(reader.check(value, context)).await?.and(read);
        }
        match read.is_ok() {
            true => return Some(Given { call, read }),
            false => failed = failed.or(Some(Given { call, read })),
        }
    }
    failed
}

/// The reader, if a call is of its tool.
fn own<'r>(slot: &CallSlot, reader: Option<&'r dyn OutputReader>) -> Option<&'r dyn OutputReader> {
    reader.filter(|reader| reader.wanted().name == slot.call.name)
}

/// Whether the tool of the output checked the value: it ran, and no hook changed its outcome.
fn is_checked(slot: &CallSlot, reader: Option<&dyn OutputReader>) -> bool {
    let by_tool = |it: &ToolExecution| it.effect.is_some() && !it.is_changed;
    own(slot, reader).is_some() && slot.execution().is_some_and(|it| by_tool(it))
}

/// Where the step may have given the output: its calls that give one, in their order, or none of
/// them for the text of its answer.
fn places(
    state: &AgentState,
    reader: Option<&dyn OutputReader>,
    driver: &dyn Driver,
) -> Vec<Option<u32>> {
    let Some(step) = state.current_step() else { return Vec::new() };
    let failed = step.errors.iter().any(ErrorRecord::ends_step);
    if failed || step.response.as_ref().is_none_or(|response| response.incomplete.is_some()) {
        return Vec::new();
    }
    if step.calls.is_empty() {
        let is_answer = reader.is_some() && driver.is_answer(state);
        return if is_answer { vec![None] } else { Vec::new() };
    }
    let Some(shown) = state.context().tools_shown.as_ref() else { return Vec::new() };
    let gives_output = |slot: &CallSlot| {
        shown.specs.iter().any(|spec| spec.is_output && spec.name == slot.call.name)
    };
    let finished = |slot: &CallSlot| {
        let execution = slot.execution();
        execution.is_some_and(|it| matches!(*it.outcome, ToolOutcome::Finished(_)))
    };
    let calls = state.calls().filter(|(_, slot)| gives_output(slot) || finished(slot));
    calls.map(|(index, _)| Some(index)).collect()
}

/// What the text of the answer gave.
fn by_text(state: &AgentState, reader: &dyn OutputReader) -> Option<Result<Value, Rejection>> {
    let response = state.current_step()?.response.as_ref()?;
    Some(Rejection::unread(response).map_or_else(|| reader.read(&response.text()), Err))
}

/// What a call gave; none if it failed for another reason than what the model wrote.
///
/// The result of a tool that is not the output's own is a value that the reader has to accept, if
/// there is one.
fn by_call(slot: &CallSlot, reader: Option<&dyn OutputReader>) -> Option<Result<Value, Rejection>> {
    let (execution, own) = (slot.execution()?, own(slot, reader));
    let problem = match (&*execution.outcome, own) {
        (ToolOutcome::Ok(_), Some(own)) => {
            let written = slot.arguments.as_ref().unwrap_or(&slot.call.arguments);
            return Some(own.read(written));
        }
        (ToolOutcome::Ok(output), None) | (ToolOutcome::Finished(output), _) => {
            let value = output.to_value();
            return Some(reader.map_or(Ok(value.clone()), |it| it.read(&value.to_string())));
        }
        // The program's code that reads it or checks it: the execution fails.
        (ToolOutcome::Failed(FailureKind::Panicked, why), Some(_)) => {
            std::panic::resume_unwind(Box::new(why.clone()))
        }
        (ToolOutcome::Failed(FailureKind::InvalidArguments, problem), _) => {
            return Some(Err(Rejection::new(Stage::Schema, problem)));
        }
        (ToolOutcome::Retry(problem) | ToolOutcome::Failed(_, problem), _) => problem,
        _ => return None,
    };
    let read = own.and_then(|own| own.read(&slot.call.arguments).err());
    // What can be read was refused by a check.
    let stage = if own.is_some() { Stage::Validation } else { Stage::Tool };
    Some(Err(read.unwrap_or_else(|| Rejection::new(stage, problem))))
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
    if execution.is_some_and(|execution| !execution.outcome.is_ok()) {
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

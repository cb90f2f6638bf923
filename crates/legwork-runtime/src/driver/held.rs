//! What a driver says of a request and of a response, held against panics.

use legwork_core::budget::Price;
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::inference::Incomplete;
use legwork_core::state::Change;
use legwork_core::{AgentState, ExecutionStatus, Owed, Response};
use legwork_port::unwind;

use crate::context::StepContext;
use crate::driver::Driver;
use crate::driver::infer::record;
use crate::error::{Halt, HaltReason};
use crate::executor;

/// Who asks for the end of an execution whose driver failed.
pub(super) const DRIVER: &str = "driver";

/// Lets the driver read a response, records it, and lets the driver add to that.
///
/// A driver that panics costs no second inference: the response is recorded as it came, as
/// one that nobody read.
pub(super) fn read<D: Driver + ?Sized>(
    driver: &D,
    response: Response,
    price: Option<&Price>,
    state: AgentState,
    cx: &StepContext,
    model: &str,
) -> AgentState {
    // As it was received, before the driver changes it.
    let charged = state.ledger().held().for_response(&response, price);
    match unwind::call(|| driver.read(&state, &response)) {
        Ok(read) => {
            let response = read.unwrap_or(response);
            let state = record(response, charged, state, cx, model);
            let before = state.clone();
            match unwind::call(|| driver.recorded(state)) {
                Ok(after) => added(before, after),
                // Whether the response is what it says is not known: none of its calls runs.
                Err(panic) => before.with_fatal_error(DRIVER, of_driver(&panic)),
            }
        }
        Err(panic) => {
            let (incomplete, bound) = (Some(Incomplete::Unread), None);
            let unread = Response { incomplete, bound, ..response };
            record(unread, charged, state, cx, model).with_error(of_driver(&panic))
        }
    }
}

/// The state with what a driver added to it, which is left out if it does not extend the state or
/// takes something for committed or judged.
fn added(before: AgentState, after: AgentState) -> AgentState {
    if after.is_same(&before) {
        return after;
    }
    let extends = after.extends(&before.mark()) && after.check_since(&before).is_ok();
    let is_ours = |change: &Change<'_>| matches!(change, Change::Committed | Change::Judged);
    if extends && !after.changes_since(&before).iter().any(is_ours) {
        return after;
    }
    let message = "the driver returned a state that it may not return when a response was \
                   recorded: return the one given, changed only by transitions that add to it";
    let error = ErrorRecord::new(ErrorSource::Driver, ErrorKind::Lineage, message);
    before.with_fatal_error(DRIVER, error)
}

/// What a driver says, or that it panicked.
pub(crate) fn held<T>(ask: impl FnOnce() -> Result<T, ErrorRecord>) -> Result<T, ErrorRecord> {
    unwind::call(ask).unwrap_or_else(|panic| Err(of_driver(&panic)))
}

/// A driver that panicked.
pub(super) fn of_driver(panic: &str) -> ErrorRecord {
    let message = format!("the driver panicked: {panic}");
    ErrorRecord::new(ErrorSource::Driver, ErrorKind::Panicked, message)
}

/// Ends the execution of a driver that did nothing of what the step owes: it would be called
/// again without an end.
pub(crate) fn idle(state: AgentState) -> AgentState {
    let message = "the driver did nothing of what the step owes: `use_tools` makes the inference \
                   or runs the calls, or returns an error";
    let error = ErrorRecord::new(ErrorSource::Driver, ErrorKind::Configuration, message);
    state.with_fatal_error(DRIVER, error)
}

/// Ends the execution of a driver that panicked, with what was committed of the step.
///
/// # Errors
/// When nothing of the execution was committed: there is none to end.
pub(crate) async fn panicked(cx: &StepContext, panic: String) -> Result<AgentState, Halt> {
    let state = match cx.writer.kept.committed() {
        Some(state) => Some(state),
        None => cx.journaled().await.map(AgentState::with_step_taken_up),
    };
    let state = state.unwrap_or_else(|| AgentState::new(cx.events.origin().session.clone()));
    let state = state.masked_by(&cx.services.sessions.mask);
    if state.status().is_none_or(ExecutionStatus::is_terminal) {
        return Err(Halt::new(state, HaltReason::Panicked(panic)));
    }
    let state = cx.tick(state).with_fatal_error(DRIVER, of_driver(&panic));
    match state.owed() {
        // Calls that are open are answered without the driver: none of them runs.
        Owed::JudgeCalls | Owed::RunCalls => executor::run(state, cx).await,
        _ => Ok(state),
    }
}

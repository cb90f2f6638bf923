//! One call to the model: reserve, commit, ask, settle, record.

mod ask;
mod auxiliary;
mod inference;
mod recite;
mod record;

use std::ops::ControlFlow::{Break, Continue};
use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::event::{InferenceFailed, InferenceInterrupted, InferenceStarted};
use legwork_core::{AgentState, Event, ModelRequest, Owed, StopReason, StopSignal};
use legwork_inference::spending;
use legwork_port::{Model, Trigger, model};
use legwork_toolset::StepTools;

use ask::{Asked, For, ask};
pub(crate) use auxiliary::{infer_auxiliary, obtain, prepare};
use recite::{ending, recite};
pub(super) use record::record;

use crate::context::StepContext;
use crate::driver::held::{DRIVER, held, read};
use crate::driver::{Driver, Source};
use crate::error::Halt;

/// Triggers before the next commit on which a hook may take its time: with one of them
/// listening, a response is made durable first.
const BEFORE_NEXT_COMMIT: [Trigger; 6] = [
    Trigger::AfterInference,
    Trigger::BeforeToolUse,
    Trigger::Error,
    Trigger::StepEnd,
    Trigger::BeforeStop,
    Trigger::ExecutionEnd,
];

/// Makes the inference that a state owes, unless an error or a limit forbids it: builds the
/// request, shows it to hooks, reserves what it may cost, commits that, asks, and records and
/// charges the answer. A state that owes none is returned as it is.
///
/// One that is returned without a step under way began none: the run is to end, or items came
/// for the session and the step begins again.
///
/// # Errors
/// When what happened could not be journaled.
pub async fn infer<D: Driver + ?Sized>(
    driver: &D,
    state: AgentState,
    cx: &StepContext,
) -> Result<AgentState, Halt> {
    if state.owed() != Owed::Infer {
        return Ok(state);
    }
    let Some(shown) = cx.unless_raised(cx.toolbox().to_show(&state)).await else {
        return Ok(state);
    };
    let (state, mut request, shown) = match build(driver, state, cx, shown).await? {
        Ok(built) => built,
        Err((state, error)) => return Ok(refuse(*state, error)),
    };
    // A gate that failed, or anybody else, may have raised it: then nothing is sent.
    if !state.stop_signals().is_empty() || cx.control.is_raised() {
        return Ok(state);
    }
    let model = match held(|| driver.source(&state, cx)) {
        Ok(Source::Model(model)) => model,
        Ok(Source::Driver(answer)) => {
            // While it is there, each change of the conversation copies the end of it.
            drop(request);
            return recite(driver, answer, state, cx, &shown).await;
        }
        Err(error) => return Ok(refuse(state, error)),
    };
    if let Err(error) = spending::check_price(&cx.account, state.ledger(), &*model) {
        return Ok(refuse(state, error));
    }
    let (max_output, mut reserved) =
        match spending::hold(&cx.account, state.ledger(), &request, &*model) {
            Ok(affordable) => affordable,
            Err(limit) => {
                // Named like the criterion of the limit.
                let by = StopReason::from(&limit.dimension).to_string();
                return Ok(state.with_stop_signal(StopSignal::limit(by, limit)));
            }
        };
    reserved.steps = u64::from(state.current_step().is_none());
    request.max_output = max_output;
    let (tools, identity) = (shown.unless_known(&state), cx.conversation().identify(&request));
    let started = InferenceStarted { reserved, tools, request: identity.clone() };
    let state = match cx.commit_inference(state, started).await? {
        Continue(state) => state,
        Break(before) => return Ok(before),
    };
    cx.conversation().sent();
    let (state, asked) = ask(&*model, request, state, cx, For::Step(identity)).await?;
    conclude(driver, &*model, asked, state, cx).await
}

/// Charges and records what came of a call to the model.
async fn conclude<D: Driver + ?Sized>(
    driver: &D,
    model: &dyn Model,
    asked: Asked,
    state: AgentState,
    cx: &StepContext,
) -> Result<AgentState, Halt> {
    let attempts = asked.charged_attempts;
    match asked.answer {
        None => {
            let price = model.profile().price_at(state.ledger().held().input);
            let charged = state.ledger().held().for_left(asked.left, attempts, price.as_ref());
            Ok(cx.stop_in_time(interrupted(state, cx, charged)))
        }
        Some(Err(error)) => {
            let charged = state.ledger().held().for_attempts(error.charged_attempts);
            match overflown(&error, &state, cx) {
                Ok(()) => Ok(interrupted(state, cx, charged)),
                Err(error) => Ok(unanswered(state, cx, error, charged)),
            }
        }
        Some(Ok(response)) => {
            let price = spending::price_of(&response, model, state.ledger().held().input);
            let state = read(driver, response, price.as_ref(), state, cx, model.name());
            show(state, cx).await
        }
    }
}

/// Whether the conversation is compacted and asked again, because the provider refused it as too
/// long.
///
/// # Errors
/// The error, where it stands.
fn overflown(
    error: &model::Error,
    state: &AgentState,
    cx: &StepContext,
) -> Result<(), ErrorRecord> {
    let record = error.to_record();
    if error.kind != model::Kind::ContextOverflow {
        return Err(record);
    }
    let noted = cx.conversation().overflown(state, cx.profile(state), record.clone());
    noted.map_err(|why| ErrorRecord { message: format!("{}; {why}", record.message), ..record })
}

/// There is no answer: the run was cancelled or interrupted, its time was up, or the inference is
/// made again.
fn interrupted(state: AgentState, cx: &StepContext, charged: Amounts) -> AgentState {
    cx.settle(state.ledger().inference(), &charged);
    state.with(Event::InferenceInterrupted(InferenceInterrupted { charged }))
}

/// There is an error, and no answer.
fn unanswered(
    state: AgentState,
    cx: &StepContext,
    error: ErrorRecord,
    charged: Amounts,
) -> AgentState {
    cx.settle(state.ledger().inference(), &charged);
    state.with(Event::InferenceFailed(InferenceFailed { error, charged }.into()))
}

/// Shows hooks a response that was recorded; it is durable first if they may take their time.
async fn show(state: AgentState, cx: &StepContext) -> Result<AgentState, Halt> {
    let listens = BEFORE_NEXT_COMMIT.iter().any(|trigger| cx.listens(*trigger));
    let state = if listens { cx.commit(state).await? } else { state };
    Ok(cx.fire(Trigger::AfterInference, state).await)
}

type Built = (AgentState, ModelRequest, Arc<StepTools>);

/// Builds the request, does what it needs first, and lets hooks change it.
async fn build<D: Driver + ?Sized>(
    driver: &D,
    mut state: AgentState,
    cx: &StepContext,
    shown: Result<Arc<StepTools>, String>,
) -> Result<Result<Built, (Box<AgentState>, ErrorRecord)>, Halt> {
    let shown = match shown {
        Ok(shown) => shown,
        Err(message) => {
            let error = ErrorRecord::new(ErrorSource::Driver, ErrorKind::Configuration, message);
            return Ok(Err((Box::new(state), error)));
        }
    };
    let goes_on = |state: &AgentState| !cx.control.is_raised() && state.stop_signals().is_empty();
    // It gives no lock back: the conversation is asked again while this is done.
    let owed = |state: &AgentState| {
        let owed = |profile| cx.conversation().owed_for_results(state, profile);
        goes_on(state).then(|| owed(cx.profile(state))).flatten()
    };
    let request = loop {
        while let Some(asks) = owed(&state) {
            state = obtain(*asks, state, cx).await?;
        }
        let request = match held(|| driver.request(&state, cx, &shown)) {
            Ok(request) => request,
            Err(error) => return Ok(Err((Box::new(state), error))),
        };
        match cx.owed_first(&state, &request) {
            Ok(Some(owed)) if goes_on(&state) => {
                state = prepare(owed, &request, state, cx).await?;
            }
            Ok(_) => break request,
            Err(error) => return Ok(Err((Box::new(state), error))),
        }
    };
    if !cx.listens(Trigger::BeforeInference) {
        return Ok(Ok((state, request, shown)));
    }
    let request = Arc::new(request);
    let state = state.with_current_request(Some(Arc::clone(&request)));
    let state = cx.fire(Trigger::BeforeInference, state).await;
    let built = request;
    let request = state.current_request().cloned().unwrap_or_else(|| Arc::clone(&built));
    if !Arc::ptr_eq(&built, &request) {
        cx.conversation().changed(&built, &request);
    }
    drop(built);
    let state = state.with_current_request(None);
    Ok(Ok((state, Arc::unwrap_or_clone(request), shown)))
}

/// An error before the call was made ends the step, or the execution if there is none.
fn refuse(state: AgentState, error: ErrorRecord) -> AgentState {
    if state.current_step().is_some() {
        // A run before this one may have left a call under way.
        let (charged, error) = (state.ledger().held().as_estimate(), ending(error));
        return state.with(Event::InferenceFailed(InferenceFailed { error, charged }.into()));
    }
    state.with_fatal_error(DRIVER, error)
}

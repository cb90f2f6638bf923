//! Auxiliary inferences, which are no steps: what the next request needs first, or a person or a
//! call asks for.

use std::sync::Arc;

use legwork_context::{Agreed, Auxiliary, Owed};
use legwork_core::budget::Amounts;
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::event::{AuxiliaryFinished, AuxiliaryStarted};
use legwork_core::{AgentState, Event, ModelRequest, Response};
use legwork_inference::spending;
use legwork_port::store::Range;
use legwork_port::{Model, Trigger, model};

use super::ask::{Asked, For, ask};
use crate::context::StepContext;
use crate::error::Halt;

/// Does what a request needs before it is sent. What is given back is committed; what could not
/// be done is a warning for observers.
///
/// # Errors
/// When what happened could not be journaled, or the journal not be read.
pub(crate) async fn prepare(
    owed: Owed,
    request: &ModelRequest,
    state: AgentState,
    cx: &StepContext,
) -> Result<AgentState, Halt> {
    let (state, asks) = match owed {
        Owed::Inference(asks) => (state, asks),
        Owed::Compaction(proposed) => {
            let proposed = state.with_proposed_compaction(Some(proposed));
            let signals = proposed.stop_signals().len();
            let state = cx.fire(Trigger::BeforeCompaction, proposed).await;
            let agreed = state.proposed_compaction().cloned();
            let state = state.with_proposed_compaction(None);
            if cx.control.is_raised() || state.stop_signals().len() > signals {
                // A hook that waited was cut off and sees the point again, or it stops the run.
                return Ok(state);
            }
            let state = cx.commit(state).await?;
            let journal = match cx.writer.store.read(state.session(), Range::ALL).await {
                Ok(loaded) => loaded.journal,
                Err(error) => return Err(Halt::new(state, error)),
            };
            let profile = cx.profile(&state);
            let agreed = cx.conversation().compaction(&state, request, profile, agreed, &journal);
            match agreed {
                Agreed::Inference(asks) => (state, asks),
                Agreed::Replaced(compacted) => return cx.commit(state.with(*compacted)).await,
                Agreed::Nothing => return Ok(state),
            }
        }
    };
    obtain(*asks, state, cx).await
}

/// Makes an auxiliary inference and commits what came of it; it fails as [`prepare`] does.
pub(crate) async fn obtain(
    asks: Auxiliary,
    state: AgentState,
    cx: &StepContext,
) -> Result<AgentState, Halt> {
    let (state, events) = infer_auxiliary(asks, state, cx).await?;
    cx.commit(events.into_iter().fold(state, AgentState::with)).await
}

/// Makes an auxiliary inference; gives the events of what came of it, for the next commit.
///
/// # Errors
/// As [`prepare`].
pub(crate) async fn infer_auxiliary(
    mut asks: Auxiliary,
    state: AgentState,
    cx: &StepContext,
) -> Result<(AgentState, Vec<Event>), Halt> {
    let model = asks.model.clone().map_or_else(|| cx.model(&state).cloned(), Ok);
    let answered = match model {
        Ok(model) => answer(&mut asks, &*model, state, cx).await?,
        Err(error) => (state, Some(Err(error))),
    };
    let events = match answered.1 {
        Some(Ok(response)) => asks.events(&answered.0, &response).map_err(|why| why.to_string()),
        Some(Err(error)) => Err(error.to_string()),
        None if cx.control.is_raised() => Ok(Vec::new()),
        None => Err("the time of the execution was up".to_owned()),
    };
    let failed = |why: String| cx.conversation().failed(&asks, &why).into_iter().collect();
    Ok((answered.0, events.unwrap_or_else(failed)))
}

/// Reserves, commits, asks, and charges; none if the run was cancelled or interrupted meanwhile,
/// or its time was up.
async fn answer(
    asks: &mut Auxiliary,
    model: &dyn Model,
    state: AgentState,
    cx: &StepContext,
) -> Result<(AgentState, Option<Result<Response, ErrorRecord>>), Halt> {
    if let Err(error) = spending::check_price(&cx.account, state.ledger(), model) {
        return Ok((state, Some(Err(error))));
    }
    let (max_output, reserved) =
        match spending::hold(&cx.account, state.ledger(), &asks.request, model) {
            Ok(affordable) => affordable,
            Err(limit) => {
                let words = limit.to_string();
                let error = ErrorRecord::new(ErrorSource::Model, ErrorKind::Budget, words);
                return Ok((state, Some(Err(error))));
            }
        };
    asks.request.max_output = max_output;
    let named = asks.model.as_ref().map(|_| Arc::from(model.name()));
    let started = AuxiliaryStarted { purpose: asks.purpose.clone(), model: named, reserved };
    let state = cx.tick(cx.commit(state.with(Event::AuxiliaryStarted(started))).await?);
    let began = state.step_time();
    let (state, asked) = ask(model, asks.request.clone(), state, cx, For::Auxiliary).await?;
    let charged = charge(&asked, &state, model);
    cx.settle(state.ledger().auxiliary(), &charged);
    // In a step its time is that of the step.
    let active_time = match state.current_step() {
        None => state.step_time().since(began),
        Some(_) => charged.active_time,
    };
    let charged = Amounts { active_time, ..charged };
    let answer = asked.answer.map(|answer| answer.map_err(|error| error.to_record()));
    let error = answer.as_ref().and_then(|answer| answer.as_ref().err().cloned());
    let state = state.with(Event::AuxiliaryFinished(AuxiliaryFinished { charged, error }.into()));
    let runs = state.status().is_some_and(|status| !status.is_terminal());
    Ok((if runs { cx.stop_in_time(state) } else { state }, answer))
}

/// What is charged for what came of it.
fn charge(asked: &Asked, state: &AgentState, model: &dyn Model) -> Amounts {
    let held = state.ledger().held_for_auxiliary();
    match &asked.answer {
        None => {
            let price = model.profile().price_at(held.input);
            held.for_left(asked.left, asked.charged_attempts, price.as_ref())
        }
        Some(Err(model::Error { charged_attempts, .. })) => held.for_attempts(*charged_attempts),
        Some(Ok(response)) => {
            let price = spending::price_of(response, model, held.input);
            held.for_response(response, price.as_ref())
        }
    }
}

//! An answer that the driver has itself.

use std::ops::ControlFlow::{Break, Continue};
use std::pin::pin;

use legwork_core::budget::Amounts;
use legwork_core::error::{ErrorRecord, ErrorSource};
use legwork_core::event::InferenceStarted;
use legwork_core::{AgentState, Part, Response, Usage};
use legwork_inference::Pieces;
use legwork_port::{BoxFuture, Delta, unwind};
use legwork_toolset::StepTools;

use super::inference::Inference;
use super::{interrupted, show, unanswered};
use crate::context::StepContext;
use crate::driver::Driver;
use crate::driver::held::{of_driver, read};
use crate::error::Halt;
use crate::watch::Watched;

/// Records an answer that the driver has, as one of a model that costs nothing.
pub(super) async fn recite<D: Driver + ?Sized>(
    driver: &D,
    answer: BoxFuture<'static, Result<Response, ErrorRecord>>,
    state: AgentState,
    cx: &StepContext,
    shown: &StepTools,
) -> Result<AgentState, Halt> {
    let steps = u64::from(state.current_step().is_none());
    let (reserved, charged) = (Amounts { steps, ..Amounts::default() }, Amounts::default());
    let tools = shown.unless_known(&state);
    let state = match cx
        .commit_inference(state, InferenceStarted { reserved, tools, request: None })
        .await?
    {
        Continue(state) => state,
        Break(before) => return Ok(before),
    };
    let inference = Inference::of(&state, driver.name(), None);
    inference.began(cx);
    let answer = pin!(cx.unless_raised(unwind::run(|| answer)));
    let (state, watched) = cx.watch(state, answer).await?;
    let Watched::Done(Some(answer)) = watched else {
        return Ok(cx.stop_in_time(interrupted(state, cx, charged)));
    };
    let answer = match answer.unwrap_or_else(|panic| Err(of_driver(&panic))) {
        // Nothing was reserved for it.
        Ok(response) => {
            let (usage, discarded) = (Some(Usage::default()), Vec::new());
            Ok(Response { usage, discarded, charged_attempts: 0, ..response })
        }
        Err(error) => Err(ending(error)),
    };
    if let Ok(response) = &answer {
        stream(response, cx);
    }
    inference.ended(cx, answer.as_ref().ok(), answer.as_ref().err());
    match answer {
        Ok(response) => show(read(driver, response, None, state, cx, driver.name()), cx).await,
        Err(error) => Ok(unanswered(state, cx, error, charged)),
    }
}

/// An error for which there is no response: whoever says it, the step cannot go on.
pub(super) fn ending(error: ErrorRecord) -> ErrorRecord {
    match error.ends_step() {
        true => error,
        false => ErrorRecord { source: ErrorSource::Driver, ..error },
    }
}

/// Passes an answer that is whole on as pieces.
fn stream(response: &Response, cx: &StepContext) {
    if !cx.events.streams() {
        return;
    }
    let mut pieces = Pieces::by(&cx.services.sessions.mask);
    let emit = |delta: Delta<'_>| cx.emit(|| delta.into());
    let mut pass = |delta: Delta<'_>| match &mut pieces {
        None => emit(delta),
        Some(pieces) => pieces.push(delta, emit),
    };
    let mut calls = 0;
    for part in &response.message.parts {
        match part {
            Part::Text(text) => pass(Delta::Text(&text.text)),
            Part::ToolCall(call) => {
                pass(Delta::ToolCall { index: calls, name: &call.name });
                pass(Delta::Arguments { index: calls, json: &call.arguments });
                calls += 1;
            }
            _ => {}
        }
    }
    pieces.iter_mut().for_each(|pieces| pieces.end(emit));
}

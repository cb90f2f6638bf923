//! Asks the model, and passes the pieces of its answer on.

use std::pin::pin;

use futures_util::future::{Either, select};
use legwork_core::budget::LeftAttempt;
use legwork_core::event::RequestSent;
use legwork_core::{AgentState, ModelRequest, Response};
use legwork_inference::{Attempts, Reserved, Waits};
use legwork_port::{Model, model, unwind};

use super::inference::Inference;
use crate::context::StepContext;
use crate::error::Halt;
use crate::watch::Watched;

/// What came of a call to the model.
pub(super) struct Asked {
    /// None when the run was cancelled or interrupted meanwhile, or its time was up.
    pub(super) answer: Option<Result<Response, model::Error>>,
    /// The attempt that was left; nothing where there is an answer.
    pub(super) left: LeftAttempt,
    /// Failed attempts that may have cost money, as far as they were reported.
    pub(super) charged_attempts: u32,
}

/// What an answer is for.
pub(super) enum For {
    /// A step, whose request this is: observers get the pieces of the answer as they come.
    Step(Option<RequestSent>),
    /// An auxiliary inference, which observers see no pieces of.
    Auxiliary,
}

/// Asks the model, until the run is cancelled or interrupted, or its time is up.
pub(super) async fn ask(
    model: &dyn Model,
    request: ModelRequest,
    state: AgentState,
    cx: &StepContext,
    answers: For,
) -> Result<(AgentState, Asked), Halt> {
    let (inference, held) = match answers {
        For::Step(sent) => (Some(Inference::of(&state, model.name(), sent)), state.ledger().held()),
        For::Auxiliary => (None, state.ledger().held_for_auxiliary()),
    };
    inference.iter().for_each(|inference| inference.began(cx));
    let waits = Waits::default();
    let left = cx.account.left(state.ledger());
    let reserved = Reserved { left, held, max_output: request.max_output };
    let (clock, mask) = (&*cx.services.sessions.clock, &cx.services.sessions.mask);
    let attempts = Attempts::new(&cx.account, &cx.events, clock, reserved, &waits);
    let mut attempts = match inference {
        Some(_) => attempts.streaming(mask),
        None => attempts,
    };
    let work = async {
        let call = unwind::run(|| model.infer(request, Some(&mut attempts)));
        match select(pin!(call), pin!(cx.control.raised())).await {
            Either::Left((answer, _)) => Some(answer.unwrap_or_else(|panic| Err(panicked(&panic)))),
            Either::Right(_) => None,
        }
    };
    let (state, watched) = {
        let work = pin!(work);
        match state.current_step() {
            Some(_) => cx.watch_beside(state, work, &waits).await?,
            None => cx.watch_between(state, work, &waits).await,
        }
    };
    let charged_attempts = attempts.charged_attempts();
    let Watched::Done(Some(mut answer)) = watched else {
        let left = attempts.left();
        return Ok((cx.tick(state), Asked { answer: None, left, charged_attempts }));
    };
    attempts.finish(&mut answer);
    let left = LeftAttempt::None;
    let error = answer.as_ref().err().map(model::Error::to_record);
    inference.iter().for_each(|one| one.ended(cx, answer.as_ref().ok(), error.as_ref()));
    Ok((state, Asked { answer: Some(answer), left, charged_attempts }))
}

/// A model that panicked may have cost what one attempt does.
fn panicked(panic: &str) -> model::Error {
    let message = format!("the model panicked: {panic}");
    model::Error { charged_attempts: 1, ..model::Error::new(model::Kind::Malformed, message) }
}

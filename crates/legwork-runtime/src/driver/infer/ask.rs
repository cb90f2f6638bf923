//! Asks the model, and passes the pieces of its answer on.

use std::ops::ControlFlow;
use std::pin::pin;

use futures_util::future::{Either, select};
use legwork_core::budget::{Amounts, BYTES_PER_OUTPUT_TOKEN, Budget, Dimension, LeftAttempt};
use legwork_core::inference::Incomplete;
use legwork_core::{AgentState, ModelRequest, Response};
use legwork_port::{Delta, Deltas, Model, Retry, model, unwind};

use super::inference::Inference;
use super::pieces::Pieces;
use crate::context::StepContext;
use crate::error::Halt;
use crate::spending;
use crate::watch::{Waits, Watched};

/// What came of a call to the model.
pub(super) struct Asked {
    /// None when the run was cancelled or interrupted meanwhile, or its time was up.
    pub(super) answer: Option<Result<Response, model::Error>>,
    /// The attempt that was left; nothing where there is an answer.
    pub(super) left: LeftAttempt,
    /// Failed attempts that may have cost money, as far as they were reported.
    pub(super) charged_attempts: u32,
}

/// Asks the model, until the run is cancelled or interrupted, or its time is up.
pub(super) async fn ask(
    model: &dyn Model,
    request: ModelRequest,
    state: AgentState,
    cx: &StepContext,
) -> Result<(AgentState, Asked), Halt> {
    let streams = cx.events.listens();
    let inference = Inference::of(&state, model.name());
    inference.began(cx);
    let waits = Waits::default();
    let mut sink = Sink::new(&state, cx, request.max_output, &waits);
    let work = async {
        let call = unwind::run(|| model.infer(request, Some(&mut sink)));
        match select(pin!(call), pin!(cx.control.raised())).await {
            Either::Left((answer, _)) => Some(answer.unwrap_or_else(|panic| Err(panicked(&panic)))),
            Either::Right(_) => None,
        }
    };
    let (state, watched) = {
        let work = pin!(work);
        cx.watch_beside(state, work, &waits).await?
    };
    let charged_attempts = sink.charged_attempts;
    let Watched::Done(Some(mut answer)) = watched else {
        let left = sink.left(streams);
        return Ok((cx.tick(state), Asked { answer: None, left, charged_attempts }));
    };
    sink.finish(&mut answer);
    let left = LeftAttempt::None;
    let error = answer.as_ref().err().map(model::Error::to_record);
    inference.ended(cx, answer.as_ref().ok(), error.as_ref());
    Ok((state, Asked { answer: Some(answer), left, charged_attempts }))
}

/// A model that panicked may have cost what one attempt does.
fn panicked(panic: &str) -> model::Error {
    let message = format!("the model panicked: {panic}");
    model::Error { charged_attempts: 1, ..model::Error::new(model::Kind::Malformed, message) }
}

/// Passes pieces of the answer on and counts them against the reserve.
struct Sink<'a> {
    cx: &'a StepContext,
    /// What was left when it was asked. No state: while one is held, a change copies it.
    left: Budget,
    /// What is held for it.
    held: Amounts,
    bytes: u64,
    limit: Option<u64>,
    cut: bool,
    /// The wait for the next attempt; in it none is under way.
    waits: &'a Waits,
    /// Deltas for observers; none if they are sent as they arrive.
    pieces: Option<Box<Pieces>>,
    /// Failed attempts that may have cost; as much is held again for each of them.
    charged_attempts: u32,
    /// The limit that forbids another attempt.
    forbids: Option<Dimension>,
}

impl<'a> Sink<'a> {
    fn new(state: &AgentState, cx: &'a StepContext, limit: Option<u64>, waits: &'a Waits) -> Self {
        Self {
            cx,
            left: spending::left(state, cx),
            held: state.ledger().held(),
            bytes: 0,
            limit,
            cut: false,
            waits,
            pieces: Pieces::by(&cx.services.sessions.mask),
            charged_attempts: 0,
            forbids: None,
        }
    }

    /// What is under way, and how much of its answer came.
    fn left(&self, streams: bool) -> LeftAttempt {
        let now = self.cx.services.sessions.clock.mono();
        match self.waits.end() {
            Some(at) if now < at => LeftAttempt::None,
            _ if streams => LeftAttempt::Streamed(self.bytes),
            _ => LeftAttempt::Whole,
        }
    }

    /// The answer, which says what was done to it here.
    fn finish(mut self, answer: &mut Result<Response, model::Error>) {
        let cx = self.cx;
        if let Some(pieces) = &mut self.pieces {
            pieces.end(|delta| cx.emit(|| delta.into()));
        }
        match (answer, self.forbids) {
            (Ok(response), _) if self.cut => response.incomplete = Some(Incomplete::OverReserve),
            (Err(error), Some(limit)) => {
                let limit = limit.as_str().replace('_', " ");
                let why = format!(" (not tried again: the limit of {limit} does not allow it)");
                error.message.push_str(&why);
            }
            _ => {}
        }
    }
}

impl Deltas for Sink<'_> {
    fn streams(&self) -> bool {
        self.cx.events.listens()
    }

    fn retrying(&mut self, retry: Retry<'_>) -> ControlFlow<()> {
        let charged = retry.charged_attempts;
        let attempts = self.charged_attempts..charged;
        if let Some(limit) = spending::forbids_attempt(&self.left, self.held, self.cx, attempts) {
            self.forbids = Some(limit);
            return ControlFlow::Break(());
        }
        (self.charged_attempts, self.bytes) = (charged, 0);
        self.pieces.iter_mut().for_each(|pieces| pieces.forget());
        self.waits.begin(self.cx.services.sessions.clock.mono(), retry.wait.into());
        self.cx.emit(|| retry.into());
        ControlFlow::Continue(())
    }

    fn continuing(&mut self) -> ControlFlow<()> {
        let next = self.charged_attempts + 1;
        let more = self.charged_attempts..next;
        if let Some(limit) = spending::forbids_attempt(&self.left, self.held, self.cx, more) {
            self.forbids = Some(limit);
            return ControlFlow::Break(());
        }
        (self.charged_attempts, self.bytes) = (next, 0);
        ControlFlow::Continue(())
    }

    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        if let Delta::Text(text) | Delta::Thinking(text) | Delta::Arguments { json: text, .. } =
            delta
        {
            self.bytes += text.len() as u64;
        }
        let cx = self.cx;
        match &mut self.pieces {
            None => cx.emit(|| delta.into()),
            Some(pieces) => pieces.push(delta, |delta| cx.emit(|| delta.into())),
        }
        if self.limit.is_some_and(|limit| self.bytes / BYTES_PER_OUTPUT_TOKEN > limit) {
            self.cut = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

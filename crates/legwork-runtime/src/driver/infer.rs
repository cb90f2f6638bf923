//! One call to the model: reserve, commit, ask, settle, record.

use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{Either, select};
use legwork_core::budget::{Amounts, Budget, Dimension};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::event::{InferenceFailed, InferenceInterrupted, InferenceStarted, Responded};
use legwork_core::inference::Incomplete;
use legwork_core::message::Malformed;
use legwork_core::{
    AgentState, Event, ModelRequest, Part, Response, Seq, Stamp, StopReason, StopSignal, Usage,
};
use legwork_port::observer::LiveEvent;
use legwork_port::{Delta, Deltas, Model, Retry, Trigger, model};

use crate::context::StepContext;
use crate::driver::held::{failed, held, read};
use crate::driver::{Driver, Source};
use crate::error::Halt;
use crate::masked::Pieces;
use crate::spending::{self, BYTES_PER_OUTPUT_TOKEN, Left};
use crate::toolbox::Shown;
use crate::unwind;
use crate::watch::{Waits, Watched};

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

/// Makes the call that is owed, unless an error or a limit forbids it.
pub(super) async fn infer<D: Driver + ?Sized>(
    driver: &D,
    state: AgentState,
    cx: &StepContext,
) -> Result<AgentState, Halt> {
    let Some(shown) = cx.unless_raised(cx.toolbox().to_show(&state)).await else {
        return Ok(state);
    };
    let (state, mut request, shown) = match build(driver, state, cx, shown).await {
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
    if let Err(error) = spending::check_price(&state, cx, &*model) {
        return Ok(refuse(state, error));
    }
    let (max_output, mut reserved) = match spending::hold(&state, cx, &request, &*model) {
        Ok(affordable) => affordable,
        Err(limit) => {
            // Named like the criterion of the limit.
            let by = StopReason::from(&limit.dimension).to_string();
            return Ok(state.with_stop_signal(StopSignal::limit(by, limit)));
        }
    };
    reserved.steps = u64::from(state.current_step().is_none());
    let tools = shown.unless_known(&state);
    let state = state.with(Event::InferenceStarted(InferenceStarted { reserved, tools }));
    let state = cx.commit(state).await?;
    request.max_output = max_output;
    let (state, asked) = ask(&*model, request, state, cx).await?;
    let attempts = asked.charged_attempts;
    match asked.answer {
        None => {
            let price = model.profile().price;
            let left = asked.left;
            let charged = spending::of_interrupted(&state, left, attempts, price.as_ref());
            spending::settle(&state, cx, &charged);
            let left = Event::InferenceInterrupted(InferenceInterrupted { charged });
            Ok(cx.stop_in_time(state.with(left)))
        }
        Some(Err(error)) => {
            let charged = spending::of_failure(&state, &error);
            spending::settle(&state, cx, &charged);
            let error = error.to_record();
            Ok(state.with(Event::InferenceFailed(InferenceFailed { error, charged })))
        }
        Some(Ok(response)) => {
            let price = model.profile().price;
            let state = read(driver, response, price.as_ref(), state, cx, model.name());
            show(state, cx).await
        }
    }
}

/// Records an answer that the driver has, as one of a model that costs nothing.
async fn recite<D: Driver + ?Sized>(
    driver: &D,
    answer: Result<Response, ErrorRecord>,
    state: AgentState,
    cx: &StepContext,
    shown: &Shown,
) -> Result<AgentState, Halt> {
    let steps = u64::from(state.current_step().is_none());
    let (reserved, charged) = (Amounts { steps, ..Amounts::default() }, Amounts::default());
    let tools = shown.unless_known(&state);
    let state = state.with(Event::InferenceStarted(InferenceStarted { reserved, tools }));
    let state = cx.commit(state).await?;
    let inference = Inference::of(&state, driver.name());
    inference.began(cx);
    let (state, watched) = cx.watch(state, std::future::ready(answer)).await?;
    let Watched::Done(answer) = watched else {
        spending::settle(&state, cx, &charged);
        let left = Event::InferenceInterrupted(InferenceInterrupted { charged });
        return Ok(cx.stop_in_time(state.with(left)));
    };
    let answer = match answer {
        // Nothing was reserved for it.
        Ok(response) => {
            Ok(Response { usage: Some(Usage::default()), charged_attempts: 0, ..response })
        }
        Err(error) => Err(ending(error)),
    };
    if let Ok(response) = &answer {
        stream(response, inference.step, cx);
    }
    inference.ended(cx, answer.as_ref().ok(), answer.as_ref().err());
    match answer {
        Ok(response) => show(read(driver, response, None, state, cx, driver.name()), cx).await,
        Err(error) => {
            spending::settle(&state, cx, &charged);
            Ok(state.with(Event::InferenceFailed(InferenceFailed { error, charged })))
        }
    }
}

/// An error for which there is no response: whoever says it, the step cannot go on.
fn ending(error: ErrorRecord) -> ErrorRecord {
    match error.ends_step() {
        true => error,
        false => ErrorRecord { source: ErrorSource::Driver, ..error },
    }
}

/// Shows hooks a response that was recorded; it is durable first if they may take their time.
async fn show(state: AgentState, cx: &StepContext) -> Result<AgentState, Halt> {
    let listens = BEFORE_NEXT_COMMIT.iter().any(|trigger| cx.listens(*trigger));
    let state = if listens { cx.commit(state).await? } else { state };
    Ok(cx.fire(Trigger::AfterInference, state).await)
}

/// Passes an answer that is whole on as pieces.
fn stream(response: &Response, step: u32, cx: &StepContext) {
    if !cx.observer.listens() {
        return;
    }
    let mut pieces = Pieces::by(&cx.services.mask);
    let tell = |delta: Delta<'_>| cx.live(&LiveEvent::Delta { step, delta });
    let mut pass = |delta: Delta<'_>| match &mut pieces {
        None => tell(delta),
        Some(pieces) => pieces.push(delta, tell),
    };
    let mut calls = 0;
    for part in &response.message.parts {
        match part {
            Part::Text(text) => pass(Delta::Text(text)),
            Part::ToolCall(call) => {
                pass(Delta::ToolCall { index: calls, name: &call.name });
                pass(Delta::Arguments { index: calls, json: &call.arguments });
                calls += 1;
            }
            _ => {}
        }
    }
    pieces.iter_mut().for_each(|pieces| pieces.end(tell));
}

/// An inference under way, as observers are notified of it.
struct Inference<'a> {
    step: u32,
    /// The entry that reserved it.
    id: Seq,
    at: Stamp,
    amounts: Option<Amounts>,
    model: &'a str,
}

impl<'a> Inference<'a> {
    fn of(state: &AgentState, model: &'a str) -> Self {
        let step = state.current_step().map_or(0, |step| step.number);
        let held = state.ledger().inference();
        let (id, amounts) = (held.map_or(Seq::ZERO, |held| held.entry), held.map(|h| h.amounts));
        Self { step, id, at: state.now(), amounts, model }
    }

    fn began(&self, cx: &StepContext) {
        let Self { step, id, model, .. } = *self;
        let Some(amounts) = &self.amounts else { return };
        cx.live(&LiveEvent::StepStarted { step });
        cx.live(&LiveEvent::BudgetReserved { id, amounts });
        cx.live(&LiveEvent::InferenceStarted { step, id, at: self.at.wall, model });
    }

    fn ended(&self, cx: &StepContext, response: Option<&Response>, error: Option<&ErrorRecord>) {
        if !cx.observer.listens() {
            return;
        }
        let (step, id, now) = (self.step, self.id, cx.services.clock.now());
        let (took, at) = (now.mono.since(self.at.mono), now.wall);
        let usage = response.and_then(|response| response.usage.as_ref());
        cx.live(&LiveEvent::InferenceFinished { step, id, at, took, usage, error });
    }
}

type Built = (AgentState, ModelRequest, Arc<Shown>);

/// Builds the request and lets hooks change it.
async fn build<D: Driver + ?Sized>(
    driver: &D,
    state: AgentState,
    cx: &StepContext,
    shown: Result<Arc<Shown>, String>,
) -> Result<Built, (Box<AgentState>, ErrorRecord)> {
    let shown = match shown {
        Ok(shown) => shown,
        Err(message) => {
            let error = ErrorRecord::new(ErrorSource::Driver, ErrorKind::Configuration, message);
            return Err((Box::new(state), error));
        }
    };
    let request = match held(|| driver.request(&state, cx, &shown)) {
        Ok(request) => request,
        Err(error) => return Err((Box::new(state), error)),
    };
    if !cx.listens(Trigger::BeforeInference) {
        return Ok((state, request, shown));
    }
    let request = Arc::new(request);
    let state = state.with_pending_request(Some(Arc::clone(&request)));
    let state = cx.fire(Trigger::BeforeInference, state).await;
    let request = state.pending_request().cloned().unwrap_or(request);
    let state = state.with_pending_request(None);
    Ok((state, Arc::unwrap_or_clone(request), shown))
}

/// An error before the call was made ends the step, or the execution if there is none.
fn refuse(state: AgentState, error: ErrorRecord) -> AgentState {
    if state.current_step().is_some() {
        // A run before this one may have left a call under way.
        let (charged, error) = (spending::held(&state).as_estimate(), ending(error));
        return state.with(Event::InferenceFailed(InferenceFailed { error, charged }));
    }
    failed(state, error)
}

/// What came of a call to the model.
struct Asked {
    /// None when the run was cancelled or interrupted meanwhile, or its time was up.
    answer: Option<Result<Response, model::Error>>,
    /// The attempt that was left; nothing where there is an answer.
    left: Left,
    /// Failed attempts that may have cost money, as far as they were told of.
    charged_attempts: u32,
}

/// Asks the model, until the run is cancelled or interrupted, or its time is up.
async fn ask(
    model: &dyn Model,
    request: ModelRequest,
    state: AgentState,
    cx: &StepContext,
) -> Result<(AgentState, Asked), Halt> {
    let streams = cx.observer.listens();
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
    let Watched::Done(Some(answer)) = watched else {
        let left = sink.left(streams);
        return Ok((cx.tick(state), Asked { answer: None, left, charged_attempts }));
    };
    let (answer, left) = (sink.finish(answer), Left::Nothing);
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
    step: u32,
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
        let step = state.current_step().map_or(0, |step| step.number);
        Self {
            cx,
            left: spending::left(state, cx),
            held: spending::held(state),
            step,
            bytes: 0,
            limit,
            cut: false,
            waits,
            pieces: Pieces::by(&cx.services.mask),
            charged_attempts: 0,
            forbids: None,
        }
    }

    /// What is under way, and how much of its answer came.
    fn left(&self, streams: bool) -> Left {
        let now = self.cx.services.clock.mono();
        match self.waits.end() {
            Some(at) if now < at => Left::Nothing,
            _ if streams => Left::Streamed(self.bytes),
            _ => Left::Unheard,
        }
    }

    /// The answer, which says what was done to it here.
    fn finish(mut self, answer: Result<Response, model::Error>) -> Result<Response, model::Error> {
        let (cx, step) = (self.cx, self.step);
        if let Some(pieces) = &mut self.pieces {
            pieces.end(|delta| cx.live(&LiveEvent::Delta { step, delta }));
        }
        let (cut, forbids) = (self.cut, self.forbids);
        let answer = answer.map(|mut response| {
            if cut {
                response.incomplete = Some(Incomplete::OverReserve);
            }
            response
        });
        answer.map_err(|mut error| {
            if let Some(limit) = forbids {
                let limit = limit.as_str().replace('_', " ");
                let why = format!(" (not tried again: the limit of {limit} does not allow it)");
                error.message.push_str(&why);
            }
            error
        })
    }
}

impl Deltas for Sink<'_> {
    fn streams(&self) -> bool {
        self.cx.observer.listens()
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
        self.waits.begin(self.cx.services.clock.mono(), retry.wait.into());
        self.cx.live(&LiveEvent::InferenceRetried { step: self.step, retry });
        ControlFlow::Continue(())
    }

    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        if let Delta::Text(text) | Delta::Thinking(text) | Delta::Arguments { json: text, .. } =
            delta
        {
            self.bytes += text.len() as u64;
        }
        let (cx, step) = (self.cx, self.step);
        match &mut self.pieces {
            None => cx.live(&LiveEvent::Delta { step, delta }),
            Some(pieces) => {
                pieces.push(delta, |delta| cx.live(&LiveEvent::Delta { step, delta }));
            }
        }
        if self.limit.is_some_and(|limit| self.bytes / BYTES_PER_OUTPUT_TOKEN > limit) {
            self.cut = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Settles and records a response.
pub(super) fn record(
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
    spending::settle(&state, cx, &charged);
    let response = Arc::new(response);
    let state =
        state.with(Event::Responded(Responded { response: Arc::clone(&response), charged }));
    let incomplete = response.incomplete.as_ref();
    let Some(reason) = incomplete.filter(|reason| **reason != Incomplete::Unread) else {
        return state;
    };
    let message = match (malformed, &response.bound) {
        (Some(malformed), _) => format!("the answer of {model} is none, ask again: {malformed}"),
        (None, Some(bound)) => format!(
            "the answer of {model} was cut, for {bound}: its calls are not run; see whether the \
             server is sound, or raise the bound"
        ),
        (None, None) => format!(
            "the answer of {model} came incomplete ({reason}): its calls are not run; ask again"
        ),
    };
    state.with_error(ErrorRecord::new(ErrorSource::Model, ErrorKind::Incomplete, message))
}

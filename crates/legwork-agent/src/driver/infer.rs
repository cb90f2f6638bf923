//! One call to the model: reserve, commit, ask, settle, record.

use std::ops::ControlFlow;
use std::sync::Arc;

use futures_util::future::{Either, select};
use legwork_core::budget::{Amounts, Exhausted, Price};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::event::{InferenceFailed, InferenceStarted, Responded, ToolsShown};
use legwork_core::inference::Incomplete;
use legwork_core::{
    AgentState, Event, ModelRequest, Response, SessionId, StopReason, StopSignal, Usage,
};
use legwork_port::observer::LiveEvent;
use legwork_port::{Delta, Deltas, Model, Observer, Retry, Trigger, model};

use crate::context::StepContext;
use crate::driver::Driver;
use crate::error::Halt;
use crate::toolbox::Shown;

/// Bytes that a token of input has at the least, on the average of a request: the
/// estimate errs on the safe side for prose and code in common languages.
const BYTES_PER_INPUT_TOKEN: u64 = 3;

/// Bytes that a token of output has at the most, on the average of an answer: a stream
/// is cut only when even so it passed its reserve.
const BYTES_PER_OUTPUT_TOKEN: u64 = 8;

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
    let (state, mut request, shown) = match build(driver, state, cx).await {
        Ok(built) => built,
        Err((state, error)) => return Ok(refuse(*state, error)),
    };
    // A gate that failed, or anybody else, may have raised it: then nothing is sent.
    if !state.stop_signals().is_empty() {
        return Ok(state);
    }
    let model = match cx.model(&state).and_then(|model| priced(&state, model)) {
        Ok(model) => Arc::clone(model),
        Err(error) => return Ok(refuse(state, error)),
    };
    let (max_output, mut reserved) = match afford(&state, &request, &*model) {
        Ok(affordable) => affordable,
        Err(limit) => return Ok(state.with_stop_signal(StopSignal::limit("budget", limit))),
    };
    reserved.steps = u64::from(state.current_step().is_none());
    let tools = newly_shown(&state, &shown);
    let state = state.with(Event::InferenceStarted(InferenceStarted { reserved, tools }));
    let state = cx.commit(state).await?;
    request.max_output = max_output;
    let answer = ask(&*model, request, &state, cx).await;
    let state = cx.tick(state);
    match answer {
        None => Ok(state),
        Some(Err(error)) => Ok(record_failure(state, &error)),
        Some(Ok(response)) => record(driver.read(response), state, cx, &*model).await,
    }
}

type Built = (AgentState, ModelRequest, Arc<Shown>);

/// Builds the request and lets hooks change it.
async fn build<D: Driver + ?Sized>(
    driver: &D,
    state: AgentState,
    cx: &StepContext,
) -> Result<Built, (Box<AgentState>, ErrorRecord)> {
    let shown = match cx.toolbox.shown(&state).await {
        Ok(shown) => shown,
        Err(message) => {
            let error = ErrorRecord::new(ErrorSource::Driver, ErrorKind::Configuration, message);
            return Err((Box::new(state), error));
        }
    };
    let request = match driver.request(&state, cx, &shown) {
        Ok(request) => request,
        Err(error) => return Err((Box::new(state), error)),
    };
    if !cx.listens(Trigger::BeforeInference) {
        return Ok((state, request, shown));
    }
    let state = state.with_pending_request(Some(Arc::new(request.clone())));
    let state = cx.fire(Trigger::BeforeInference, state).await;
    let changed = state.pending_request().cloned();
    let state = state.with_pending_request(None);
    let request = changed.map_or(request, Arc::unwrap_or_clone);
    Ok((state, request, shown))
}

/// An error before the call was made ends the step, or the execution if there is none.
fn refuse(state: AgentState, error: ErrorRecord) -> AgentState {
    if state.current_step().is_some() {
        let charged = Amounts::default();
        return state.with(Event::InferenceFailed(InferenceFailed { error, charged }));
    }
    let signal = StopSignal::new(StopReason::Error, "driver", error.message.clone());
    state.with_error(error).with_stop_signal(signal)
}

/// The model, if a limit on money that the state was given can be kept with it.
fn priced<'a>(
    state: &AgentState,
    model: &'a Arc<dyn Model>,
) -> Result<&'a Arc<dyn Model>, ErrorRecord> {
    if state.ledger().budget.cost.is_none() || model.profile().price.is_some() {
        return Ok(model);
    }
    let message = format!(
        "the budget limits cost, but the price of `{}` is not known: give the model a price, or \
         limit tokens instead",
        model.name()
    );
    Err(ErrorRecord::new(ErrorSource::Driver, ErrorKind::Configuration, message))
}

/// What the call may cost at most, and how much it may answer.
fn afford(
    state: &AgentState,
    request: &ModelRequest,
    model: &dyn Model,
) -> Result<(Option<u64>, Amounts), Exhausted> {
    let input = request.weight().div_ceil(BYTES_PER_INPUT_TOKEN);
    let profile = model.profile();
    let budget = &state.ledger().budget;
    let limited =
        budget.cost.is_some() || budget.total_tokens.is_some() || budget.output_tokens.is_some();
    let asked = request.max_output.or(profile.max_output.filter(|_| limited));
    state.ledger().afford(input, asked, profile.price.as_ref())
}

/// The tools to record: those shown, if the journal does not have them yet.
fn newly_shown(state: &AgentState, shown: &Shown) -> Option<ToolsShown> {
    let known = state.context().tools_shown.as_ref().and_then(|shown| shown.digest.as_ref());
    let digest = shown.specs.digest();
    (known != digest).then(|| ToolsShown {
        digest: digest.cloned(),
        specs: shown.specs.iter().map(Arc::clone).collect(),
        digests: shown.specs.digests().to_vec(),
    })
}

/// Asks the model; none when the run was cancelled or interrupted meanwhile.
async fn ask(
    model: &dyn Model,
    request: ModelRequest,
    state: &AgentState,
    cx: &StepContext,
) -> Option<Result<Response, model::Error>> {
    let step = state.current_step().map_or(0, |step| step.number);
    cx.live(state, &LiveEvent::StepStarted { step });
    cx.live(state, &LiveEvent::InferenceStarted { step, model: model.name() });
    let mut sink = Sink {
        observer: &*cx.observer,
        session: state.session(),
        step,
        bytes: 0,
        limit: request.max_output,
        cut: false,
    };
    let streams = cx.observer.listens();
    let deltas = streams.then_some(&mut sink as &mut dyn Deltas);
    let call = model.infer(request, deltas);
    let answer = match select(call, std::pin::pin!(cx.control.raised())).await {
        Either::Left((answer, _)) => answer,
        Either::Right(_) => return None,
    };
    Some(answer.map(|mut response| {
        if sink.cut {
            response.incomplete = Some(Incomplete::OverReserve);
        }
        response
    }))
}

/// Passes pieces of the answer on and counts them against the reserve.
struct Sink<'a> {
    observer: &'a dyn Observer,
    session: &'a SessionId,
    step: u32,
    bytes: u64,
    limit: Option<u64>,
    cut: bool,
}

impl Deltas for Sink<'_> {
    fn retrying(&mut self, retry: Retry<'_>) {
        let event = LiveEvent::InferenceRetried { step: self.step, retry };
        self.observer.live(self.session, &event);
    }

    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        if let Delta::Text(text) | Delta::Thinking(text) | Delta::Arguments { json: text, .. } =
            delta
        {
            self.bytes += text.len() as u64;
        }
        self.observer.live(self.session, &LiveEvent::Delta { step: self.step, delta });
        if self.limit.is_some_and(|limit| self.bytes / BYTES_PER_OUTPUT_TOKEN > limit) {
            self.cut = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Settles and records a response; hooks see it once it is durable.
async fn record(
    response: Response,
    state: AgentState,
    cx: &StepContext,
    model: &dyn Model,
) -> Result<AgentState, Halt> {
    let charged = charge(&state, &response, model.profile().price.as_ref());
    let incomplete = response.incomplete.clone();
    let response = Arc::new(response);
    let mut state = state.with(Event::Responded(Responded { response, charged }));
    if let Some(reason) = incomplete {
        let message = format!(
            "the answer of {} came incomplete ({reason}): its calls are not run; ask again",
            model.name()
        );
        let error = ErrorRecord::new(ErrorSource::Model, ErrorKind::Incomplete, message);
        state = state.with_error(error);
    }
    if BEFORE_NEXT_COMMIT.iter().any(|trigger| cx.listens(*trigger)) {
        state = cx.commit(state).await?;
    }
    Ok(cx.fire(Trigger::AfterInference, state).await)
}

/// What a response is charged: its usage, or what was held if it does not say, and what
/// was held once more for each failed attempt that may have cost.
fn charge(state: &AgentState, response: &Response, price: Option<&Price>) -> Amounts {
    let held = held(state);
    let real = match (&response.usage, &response.incomplete) {
        // What was said of a stream before we cut it is not all that it used.
        (Some(usage), incomplete) if *incomplete != Some(Incomplete::OverReserve) => {
            Amounts::of_usage(usage, price.map_or_else(Default::default, |p| p.cost(usage)))
        }
        _ => {
            let counted = response.message.weight() / BYTES_PER_OUTPUT_TOKEN;
            let (input, output) = (held.input, held.output.max(counted));
            let usage = Usage { input, output, ..Usage::default() };
            Amounts::of_usage(&usage, price.map_or_else(Default::default, |p| p.cost(&usage)))
        }
    };
    (0..response.charged_attempts).fold(real, |sum, _| sum.plus(&held))
}

fn held(state: &AgentState) -> Amounts {
    state.ledger().reserved.last().map_or_else(Amounts::default, |reserve| reserve.amounts)
}

fn record_failure(state: AgentState, error: &model::Error) -> AgentState {
    let held = held(&state);
    let charged = (0..error.charged_attempts).fold(Amounts::default(), |sum, _| sum.plus(&held));
    let error = error.to_record();
    state.with(Event::InferenceFailed(InferenceFailed { error, charged }))
}
